import { duration, type Fields, restJson, taskItems, timestamp, user } from './json.ts';

/** The milestone `ms` as others embed it. */
export const milestone: Fields = {
  id: 'ms.id',
  iid: 'ms.iid',
  project_id: 'ms.project_id',
  title: 'ms.title',
  description: 'ms.description',
  state: 'ms.state',
  created_at: timestamp('ms.created_at'),
  updated_at: timestamp('ms.updated_at'),
  due_date: 'ms.due_date',
  start_date: 'ms.start_date',
};

/** As the REST API shows it in the project `p` of the namespace `ns`. */
export const restMilestone: Fields = {
  ...milestone,
  group_id: 'ms.group_id',
  expired: `COALESCE(ms.due_date < (now() AT TIME ZONE 'UTC')::date, false)`,
  web_url: `$1::text || '/' || ns.full_path || '/' || p.path || '/-/milestones/' || ms.iid`,
};

/** Estimated and spent time, from expressions of seconds. */
export function timeStats(estimate: string, spent: string): Fields {
  return {
    time_estimate: estimate,
    total_time_spent: spent,
    human_time_estimate: duration(estimate),
    human_total_time_spent: duration(spent),
  };
}

const subscribed = `COALESCE(
  (SELECT s.subscribed FROM subscriptions s WHERE s.subject_type = 'Issue' AND s.subject_id = i.id AND s.user_id = $2),
  i.author_id = $2 OR COALESCE(i.assignee_id = $2, false) OR COALESCE(i.description ~* me.mention, false)
    OR EXISTS (SELECT 1 FROM notes n WHERE n.subject_type = 'Issue' AND n.subject_id = i.id AND NOT n.system
      AND (n.author_id = $2 OR n.body ~* me.mention)))`;

/** How many people said something of the issue `i`. */
export const NOTES_COUNT = `(SELECT count(*) FROM notes n
  WHERE n.subject_type = 'Issue' AND n.subject_id = i.id AND NOT n.system)`;

export const LABELS = `COALESCE((SELECT json_agg(l.title ORDER BY l.title) FROM issue_labels il
  JOIN labels l ON l.id = il.label_id WHERE il.issue_id = i.id), '[]')`;

/** The address of the issue `i` of the project `p` in the namespace `ns`. */
export const WEB_URL = `$1::text || '/' || ns.full_path || '/' || p.path || '/-/issues/' || i.iid`;

/** An issue from the row `i` in the project `p` of the namespace `ns`; `object` writes the records inside. */
export function issueFields(object: (fields: Fields) => string): Fields {
  return {
    id: 'i.id',
    iid: 'i.iid',
    project_id: 'i.project_id',
    title: 'i.title',
    description: 'i.description',
    state: 'i.state',
    created_at: timestamp('i.created_at'),
    updated_at: timestamp('i.updated_at'),
    labels: LABELS,
    milestone: `CASE WHEN ms.id IS NOT NULL THEN ${object(milestone)} END`,
    assignee: `CASE WHEN asg.id IS NOT NULL THEN ${object(user('asg'))} END`,
    author: object(user('au')),
    user_notes_count: NOTES_COUNT,
    upvotes: 'aw.up',
    downvotes: 'aw.down',
    due_date: 'i.due_date',
    web_url: WEB_URL,
    confidential: 'i.confidential',
  };
}

const PATH = `ns.full_path || '/' || p.path`;
const API = `$1::text || '/api/v4/projects/' || i.project_id`;

/** As the REST API shows it. */
export function restIssueFields(): Fields {
  const milestones = `CASE WHEN ms.id IS NOT NULL THEN ${restJson(restMilestone)} END`;
  return {
    ...issueFields(restJson),
    milestone: milestones,
    assignees: `COALESCE((SELECT json_agg(${restJson(user('pu'))} ORDER BY ia.position) FROM issue_assignees ia
      JOIN users pu ON pu.id = ia.user_id WHERE ia.issue_id = i.id), '[]')`,
    start_date: 'NULL',
    discussion_locked: 'i.discussion_locked',
    closed_at: timestamp('closing.created_at'),
    closed_by: `CASE WHEN cu.id IS NOT NULL THEN ${restJson(user('cu'))} END`,
    type: "'ISSUE'",
    issue_type: "'issue'",
    merge_requests_count: '0',
    blocking_issues_count: '0',
    time_stats: restJson(timeStats('i.time_estimate', 'spent.seconds')),
    task_completion_status: restJson(taskItems('i.description')),
    imported: 'false',
    imported_from: "'none'",
    has_tasks: `${taskItems('i.description').count} > 0`,
    _links: restJson({
      self: `${API} || '/issues/' || i.iid`,
      notes: `${API} || '/issues/' || i.iid || '/notes'`,
      award_emoji: `${API} || '/issues/' || i.iid || '/award_emoji'`,
      project: API,
      closed_as_duplicate_of: 'NULL',
    }),
    severity: "'UNKNOWN'",
    moved_to_id: 'i.moved_to_id',
    service_desk_reply_to: 'NULL',
    references: restJson({ short: `'#' || i.iid`, relative: `'#' || i.iid`, full: `${PATH} || '#' || i.iid` }),
  };
}

/** What the REST API shows besides. */
const MORE_RELATIONS = `LEFT JOIN LATERAL (SELECT ce.created_at, ce.user_id FROM state_events ce
    WHERE i.state = 'closed' AND ce.issue_id = i.id AND ce.state = 'closed' ORDER BY ce.id DESC LIMIT 1) closing ON TRUE
  LEFT JOIN users cu ON cu.id = closing.user_id
  CROSS JOIN LATERAL (SELECT COALESCE(sum(tl.seconds), 0) AS seconds FROM timelogs tl WHERE tl.issue_id = i.id) spent`;

const RELATIONS = `JOIN projects p ON p.id = i.project_id JOIN namespaces ns ON ns.id = p.namespace_id
  JOIN users au ON au.id = i.author_id LEFT JOIN users asg ON asg.id = i.assignee_id
  LEFT JOIN milestones ms ON ms.id = i.milestone_id
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE a.name = 'thumbsup') AS up,
    count(*) FILTER (WHERE a.name = 'thumbsdown') AS down
    FROM award_emoji a WHERE a.subject_type = 'Issue' AND a.subject_id = i.id) aw`;

/** What decides over the text of a statement, so that each text has one good plan. */
export interface Scope {
  state: 'opened' | 'closed' | undefined;
  /** Whether the user sees confidential issues of others. */
  secrets: boolean;
}

/** Live issues of the project `project` that the user `user` may see. */
export function issueConditions(project: string, viewer: string, { state, secrets }: Scope): string {
  const all = [`i.project_id = ${project} AND i.deleted_at IS NULL`];
  if (!secrets) all.push(`(NOT i.confidential OR i.author_id = ${viewer} OR i.assignee_id = ${viewer})`);
  if (state) all.push(`i.state = '${state}'`);
  return all.join(' AND ');
}

/** A name for the statement that a scope makes. */
export const named = (name: string, { state, secrets }: Scope) => `${name}-${state}-${secrets}`;

/** A page of issues as one JSON text; newest first. Parameters: base URL, project, limit, offset, user unless secrets. */
export function issuesSql(scope: Scope, object: (fields: Fields) => string): string {
  const isRest = object === restJson;
  const json = object(isRest ? restIssueFields() : issueFields(object));
  return `SELECT COALESCE(json_agg(${json} ORDER BY i.created_at DESC, i.id DESC), '[]')::text AS body
  FROM (SELECT i.* FROM issues i WHERE ${issueConditions('$2', '$5', scope)}
    ORDER BY i.created_at DESC, i.id DESC LIMIT $3 OFFSET $4) i ${RELATIONS} ${isRest ? MORE_RELATIONS : ''}`;
}

/** How many issues there are. Parameters: project, user unless secrets. */
export function countSql(scope: Scope): string {
  return `SELECT count(*)::int AS total FROM issues i WHERE ${issueConditions('$1', '$2', scope)}`;
}

/** One issue. Parameters: base URL, user, project, iid. */
export function issueSql(scope: Scope): string {
  return `SELECT ${restJson({ ...restIssueFields(), subscribed })}::text AS body FROM issues i ${RELATIONS} ${MORE_RELATIONS}
  JOIN (SELECT id, '@' || replace(username, '.', '\\.') || '(?![A-Za-z0-9_-])' AS mention FROM users) me ON me.id = $2
  WHERE ${issueConditions('$3', '$2', scope)} AND i.iid = $4`;
}

/** Takes the next number and inserts. Parameters: project, user, title, description. */
export const insertIssueSql = `WITH counter AS (
    UPDATE project_counters SET last_issue_iid = last_issue_iid + 1 WHERE project_id = $1 RETURNING last_issue_iid)
  INSERT INTO issues (iid, project_id, author_id, title, description) SELECT last_issue_iid, $1, $2, $3, $4 FROM counter
  RETURNING id, iid`;

export const insertEventSql = `INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title)
  VALUES ($1, $2, 'opened', 'Issue', $3, $4)`;
