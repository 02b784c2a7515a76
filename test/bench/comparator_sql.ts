const timestamp = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A user as REST v4 embeds it; `$1` is the base URL in every statement. */
const user = (
  alias: string,
) => `json_build_object('id', ${alias}.id, 'username', ${alias}.username, 'name', ${alias}.name,
  'state', ${alias}.state, 'avatar_url',
  'https://www.gravatar.com/avatar/' || md5(lower(${alias}.email)) || '?s=80&d=identicon', 'web_url', $1::text || '/' || ${alias}.username)`;

const milestone = `CASE WHEN ms.id IS NOT NULL THEN json_build_object('id', ms.id, 'iid', ms.iid, 'project_id', ms.project_id,
  'title', ms.title, 'description', ms.description, 'state', ms.state, 'created_at', ${timestamp('ms.created_at')},
  'updated_at', ${timestamp('ms.updated_at')}, 'due_date', ms.due_date, 'start_date', ms.start_date) END`;

const subscribed = `COALESCE(
  (SELECT s.subscribed FROM subscriptions s WHERE s.subject_type = 'Issue' AND s.subject_id = i.id AND s.user_id = $2),
  i.author_id = $2 OR COALESCE(i.assignee_id = $2, false) OR COALESCE(i.description ~* me.mention, false)
    OR EXISTS (SELECT 1 FROM notes n WHERE n.subject_type = 'Issue' AND n.subject_id = i.id AND NOT n.system
      AND (n.author_id = $2 OR n.body ~* me.mention)))`;

/** An issue as REST v4 shows it, from the row `i` in the project `p` of the namespace `ns`. */
const issue = (more = '') => `json_build_object('id', i.id, 'iid', i.iid, 'project_id', i.project_id, 'title', i.title,
  'description', i.description, 'state', i.state, 'created_at', ${timestamp('i.created_at')},
  'updated_at', ${timestamp('i.updated_at')},
  'labels', COALESCE((SELECT json_agg(l.title ORDER BY l.title) FROM issue_labels il JOIN labels l ON l.id = il.label_id
    WHERE il.issue_id = i.id), '[]'),
  'milestone', ${milestone}, 'assignee', CASE WHEN asg.id IS NOT NULL THEN ${user('asg')} END, 'author', ${user('au')},
  'user_notes_count', (SELECT count(*) FROM notes n WHERE n.subject_type = 'Issue' AND n.subject_id = i.id AND NOT n.system),
  'upvotes', aw.up, 'downvotes', aw.down, 'due_date', i.due_date,
  'web_url', $1::text || '/' || ns.full_path || '/' || p.path || '/issues/' || i.iid,
  'confidential', i.confidential${more})`;

const relations = `JOIN users au ON au.id = i.author_id LEFT JOIN users asg ON asg.id = i.assignee_id
  LEFT JOIN milestones ms ON ms.id = i.milestone_id
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE a.name = 'thumbsup') AS up,
    count(*) FILTER (WHERE a.name = 'thumbsdown') AS down
    FROM award_emoji a WHERE a.subject_type = 'Issue' AND a.subject_id = i.id) aw`;

/** Who has a private token. */
export const whoSql = `SELECT id, admin, external FROM users WHERE private_token_hash = $1 AND state = 'active'`;

/** A project that the user may see, and whether its confidential issues too. */
export const projectSql = `SELECT GREATEST(p.level, CASE WHEN $3 THEN 50 ELSE 0 END) >= 20 AS secrets FROM (
    SELECT p.visibility, COALESCE((SELECT max(m.access_level) FROM members m WHERE m.user_id = $2
      AND (m.project_id = p.id OR m.namespace_id = ANY(ns.lineage))
      AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)), 0) AS level
    FROM projects p JOIN namespaces ns ON ns.id = p.namespace_id WHERE p.id = $1) p
  WHERE p.level > 0 OR $3 OR p.visibility = 'public' OR p.visibility = 'internal' AND NOT $4`;

/** What decides over the text of a statement, so that each text has one good plan. */
export interface Scope {
  state: 'opened' | 'closed' | undefined;
  /** Whether the user sees confidential issues of others. */
  secrets: boolean;
}

/** Live issues of the project `project` that the user `user` may see. */
function conditions(project: string, user: string, { state, secrets }: Scope): string {
  const all = [`i.project_id = ${project} AND i.deleted_at IS NULL`];
  if (!secrets) all.push(`(NOT i.confidential OR i.author_id = ${user} OR i.assignee_id = ${user})`);
  if (state) all.push(`i.state = '${state}'`);
  return all.join(' AND ');
}

/** A name for the statement that a scope makes. */
export const named = (name: string, { state, secrets }: Scope) => `${name}-${state}-${secrets}`;

/** A page of issues as one JSON text; newest first. Parameters: base URL, project, limit, offset, user unless secrets. */
export const listSql = (
  scope: Scope,
) => `SELECT COALESCE(json_agg(${issue()} ORDER BY i.created_at DESC, i.id DESC), '[]')::text AS body
  FROM (SELECT i.* FROM issues i WHERE ${conditions('$2', '$5', scope)}
    ORDER BY i.created_at DESC, i.id DESC LIMIT $3 OFFSET $4) i
  JOIN projects p ON p.id = i.project_id JOIN namespaces ns ON ns.id = p.namespace_id ${relations}`;

/** How many issues there are. Parameters: project, user unless secrets. */
export const countSql = (scope: Scope) =>
  `SELECT count(*)::int AS total FROM issues i WHERE ${conditions('$1', '$2', scope)}`;

/** One issue. Parameters: base URL, user, project, iid. */
export const issueSql = (scope: Scope) => `SELECT ${issue(`, 'subscribed', ${subscribed}`)}::text AS body
  FROM issues i JOIN projects p ON p.id = i.project_id JOIN namespaces ns ON ns.id = p.namespace_id ${relations}
  JOIN (SELECT id, '@' || replace(username, '.', '\\.') || '(?![A-Za-z0-9_-])' AS mention FROM users) me ON me.id = $2
  WHERE ${conditions('$3', '$2', scope)} AND i.iid = $4`;

/** A page of labels. Parameters: user, project, limit, offset. */
export const labelsSql = (scope: Scope) => `WITH page AS MATERIALIZED (
    SELECT * FROM labels WHERE project_id = $2 ORDER BY title, id LIMIT $3 OFFSET $4),
  issue_counts AS (
    SELECT il.label_id, count(*) FILTER (WHERE i.state = 'opened') AS opened, count(*) FILTER (WHERE i.state = 'closed') AS closed
    FROM issue_labels il JOIN issues i ON i.id = il.issue_id
    WHERE il.label_id IN (SELECT id FROM page) AND ${conditions('$2', '$1', scope)} GROUP BY il.label_id),
  merge_request_counts AS (
    SELECT ml.label_id, count(*) AS opened FROM merge_request_labels ml JOIN merge_requests mr ON mr.id = ml.merge_request_id
    WHERE ml.label_id IN (SELECT id FROM page) AND mr.state = 'opened' GROUP BY ml.label_id)
  SELECT COALESCE(json_agg(json_build_object('id', l.id, 'name', l.title, 'color', l.color, 'description', l.description,
    'open_issues_count', COALESCE(c.opened, 0), 'closed_issues_count', COALESCE(c.closed, 0),
    'open_merge_requests_count', COALESCE(m.opened, 0), 'subscribed', COALESCE(s.subscribed, false),
    'priority', l.priority) ORDER BY l.title, l.id), '[]')::text AS body
  FROM page l LEFT JOIN issue_counts c ON c.label_id = l.id LEFT JOIN merge_request_counts m ON m.label_id = l.id
  LEFT JOIN subscriptions s ON s.subject_type = 'Label' AND s.subject_id = l.id AND s.user_id = $1`;

export const countLabelsSql = 'SELECT count(*)::int AS total FROM labels WHERE project_id = $1';

/** Takes the next number and inserts. Parameters: project, user, title, description. */
export const insertIssueSql = `WITH counter AS (
    UPDATE project_counters SET last_issue_iid = last_issue_iid + 1 WHERE project_id = $1 RETURNING last_issue_iid)
  INSERT INTO issues (iid, project_id, author_id, title, description) SELECT last_issue_iid, $1, $2, $3, $4 FROM counter
  RETURNING id, iid`;

export const insertEventSql = `INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title)
  VALUES ($1, $2, 'opened', 'Issue', $3, $4)`;
