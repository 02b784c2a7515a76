import { reporterAccess } from './access.ts';
import { baseUrl, paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { restMilestone, timeStats } from './issues_sql.ts';
import { type Fields, restJson, taskItems, timestamp, user } from './json.ts';

/** What a branch of a project holds. */
const tip = (project: string, branch: string) => `(SELECT r.oid FROM recorded_refs r
  JOIN projects rp ON rp.id = r.project_id AND rp.deleted_at IS NULL
  WHERE r.project_id = ${project} AND r.name = 'refs/heads/' || ${branch})`;

/** Whether a branch moved since the merge request was looked at. */
const STALE = `m.state = 'opened' AND (m.checked_source_sha IS DISTINCT FROM ${tip('m.source_project_id', 'm.source_branch')}
  OR m.checked_target_sha IS DISTINCT FROM ${tip('m.target_project_id', 'm.target_branch')})`;

const DRAFT = `m.title ~* '^\\s*(draft:|\\[draft\\]|\\(draft\\)|wip:|\\[wip\\]|wip(\\s|$))'`;

const STATUS = `CASE WHEN ${STALE} THEN 'unchecked' ELSE m.merge_status END`;

const THREADS_ALLOW = `(NOT p.only_allow_merge_if_all_discussions_are_resolved
  OR NOT EXISTS (SELECT 1 FROM discussions d WHERE d.merge_request_id = m.id AND d.resolved_at IS NULL))`;

/** Of the latest pipeline of its head. */
const PIPELINE = `(SELECT hp.status FROM pipelines hp WHERE hp.project_id = m.source_project_id AND hp.sha = m.sha
  AND (hp.ref = m.source_branch OR hp.merge_request_id = m.id) AND NOT hp.tag ORDER BY hp.id DESC LIMIT 1)`;

/** What keeps it from being merged, the first that applies. */
const DETAILED = `CASE WHEN m.state <> 'opened' THEN 'not_open' WHEN v.id IS NULL THEN 'preparing' ELSE (
  SELECT CASE WHEN known.status = 'unchecked' THEN 'unchecked' WHEN ${DRAFT} THEN 'draft_status'
    WHEN m.checked_source_sha IS DISTINCT FROM m.sha OR m.checked_target_sha IS NULL OR v.base_commit_sha = m.sha THEN 'commits_status'
    WHEN NOT ${THREADS_ALLOW} THEN 'discussions_not_resolved' WHEN known.status = 'cannot_be_merged' THEN 'conflict'
    WHEN NOT p.only_allow_merge_if_pipeline_succeeds THEN 'mergeable'
    ELSE COALESCE((SELECT CASE WHEN status IN ('success', 'skipped') THEN 'mergeable'
      WHEN status IN ('created', 'pending', 'running') THEN 'ci_still_running' ELSE 'ci_must_pass' END
      FROM (SELECT ${PIPELINE} AS status) of WHERE status IS NOT NULL), 'mergeable') END
  FROM (SELECT ${STATUS} AS status) known) END`;

const embedded = (alias: string, condition = `${alias}.id IS NOT NULL`) =>
  `CASE WHEN ${condition} THEN ${restJson(user(alias))} END`;

const people = (table: string, order: string) => `COALESCE((SELECT json_agg(${restJson(user('pu'))} ORDER BY ${order})
  FROM ${table} pp JOIN users pu ON pu.id = pp.user_id WHERE pp.merge_request_id = m.id), '[]')`;

const PATH = `ns.full_path || '/' || p.path`;

const mergeRequest: Fields = {
  id: 'm.id',
  iid: 'm.iid',
  project_id: 'm.target_project_id',
  title: 'm.title',
  description: 'm.description',
  state: 'm.state',
  created_at: timestamp('m.created_at'),
  updated_at: timestamp('m.updated_at'),
  target_branch: 'm.target_branch',
  source_branch: 'm.source_branch',
  upvotes: 'aw.up',
  downvotes: 'aw.down',
  author: restJson(user('au')),
  assignee: embedded('asg'),
  assignees: people('merge_request_assignees', 'pp.position'),
  reviewers: people('merge_request_reviewers', 'pp.id'),
  source_project_id: 'm.source_project_id',
  target_project_id: 'm.target_project_id',
  labels: `COALESCE((SELECT json_agg(l.title ORDER BY l.title) FROM merge_request_labels ml
    JOIN labels l ON l.id = ml.label_id WHERE ml.merge_request_id = m.id), '[]')`,
  merge_after: 'null::text',
  draft: DRAFT,
  work_in_progress: DRAFT,
  milestone: `CASE WHEN ms.id IS NOT NULL THEN ${restJson(restMilestone)} END`,
  merge_when_pipeline_succeeds: 'm.merge_when_pipeline_succeeds',
  merge_status: STATUS,
  sha: 'm.sha',
  merge_commit_sha: 'm.merge_commit_sha',
  user_notes_count: `(SELECT count(*) FROM notes n
    WHERE n.subject_type = 'MergeRequest' AND n.subject_id = m.id AND NOT n.system)`,
  should_remove_source_branch: 'm.should_remove_source_branch',
  force_remove_source_branch: 'm.force_remove_source_branch',
  web_url: `$1::text || '/' || ${PATH} || '/-/merge_requests/' || m.iid`,
  merged_by: embedded('mu', `m.state = 'merged' AND mu.id IS NOT NULL`),
  merge_user: embedded(
    'mu',
    `(m.state = 'merged' OR m.state = 'opened' AND m.merge_when_pipeline_succeeds) AND mu.id IS NOT NULL`,
  ),
  merged_at: timestamp('m.merged_at'),
  closed_by: embedded('cu'),
  closed_at: timestamp('m.closed_at'),
  prepared_at: timestamp(
    '(SELECT fv.created_at FROM merge_request_versions fv WHERE fv.merge_request_id = m.id ORDER BY fv.id LIMIT 1)',
  ),
  imported: 'false',
  imported_from: "'none'",
  detailed_merge_status: DETAILED,
  has_conflicts: `${STATUS} = 'cannot_be_merged'`,
  blocking_discussions_resolved: THREADS_ALLOW,
  discussion_locked: 'm.discussion_locked',
  squash: 'm.squash',
  squash_on_merge: 'm.squash',
  squash_commit_sha: `CASE WHEN m.state = 'merged' THEN m.squash_commit_sha END`,
  task_completion_status: restJson(taskItems('m.description')),
  time_stats: restJson(timeStats('m.time_estimate', 'spent.seconds')),
  reference: `'!' || m.iid`,
  references: restJson({ short: `'!' || m.iid`, relative: `'!' || m.iid`, full: `${PATH} || '!' || m.iid` }),
};

/** Parameters: base URL, project, limit, offset. */
const LIST = `SELECT COALESCE(json_agg(${restJson(mergeRequest)} ORDER BY m.created_at DESC, m.id DESC), '[]')::text AS body
  FROM (SELECT m.* FROM merge_requests m WHERE m.target_project_id = $2
    ORDER BY m.created_at DESC, m.id DESC LIMIT $3 OFFSET $4) m
  JOIN projects p ON p.id = m.target_project_id JOIN namespaces ns ON ns.id = p.namespace_id
  JOIN users au ON au.id = m.author_id LEFT JOIN users asg ON asg.id = m.assignee_id
  LEFT JOIN milestones ms ON ms.id = m.milestone_id LEFT JOIN users mu ON mu.id = m.merge_user_id
  LEFT JOIN users cu ON cu.id = m.closed_by_id
  LEFT JOIN LATERAL (SELECT lv.id, lv.base_commit_sha FROM merge_request_versions lv WHERE lv.merge_request_id = m.id
    ORDER BY lv.id DESC LIMIT 1) v ON TRUE
  CROSS JOIN LATERAL (SELECT COALESCE(sum(tl.seconds), 0) AS seconds FROM timelogs tl WHERE tl.merge_request_id = m.id) spent
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE a.name = 'thumbsup') AS up,
    count(*) FILTER (WHERE a.name = 'thumbsdown') AS down
    FROM award_emoji a WHERE a.subject_type = 'MergeRequest' AND a.subject_id = m.id) aw`;

const COUNT = 'SELECT count(*)::int AS total FROM merge_requests m WHERE m.target_project_id = $1';

app.get('/api/v4/projects/:id/merge_requests', async (request, response) => {
  const { projectId } = await reporterAccess(request, request.params.id);
  const { perPage, offset } = paging(request);
  const [list, count] = await Promise.all([
    one<{ body: string }>('merge-requests', () => LIST, [baseUrl(request), projectId, perPage, offset]),
    one<{ total: number }>('count-merge-requests', () => COUNT, [projectId]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
