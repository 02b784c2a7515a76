import { reporterAccess } from './access.ts';
import { baseUrl, paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { milestone } from './issues_sql.ts';
import { type Fields, restJson, timestamp, user } from './json.ts';

/** What a branch of a project holds. */
const tip = (project: string, branch: string) => `(SELECT r.oid FROM recorded_refs r
  JOIN projects rp ON rp.id = r.project_id AND rp.deleted_at IS NULL
  WHERE r.project_id = ${project} AND r.name = 'refs/heads/' || ${branch})`;

/** Whether a branch moved since the merge request was looked at. */
const STALE = `m.state = 'opened' AND (m.checked_source_sha IS DISTINCT FROM ${tip('m.source_project_id', 'm.source_branch')}
  OR m.checked_target_sha IS DISTINCT FROM ${tip('m.target_project_id', 'm.target_branch')})`;

const DRAFT = `m.title ~* '^\\s*(draft:|\\[draft\\]|\\(draft\\)|wip:|\\[wip\\]|wip(\\s|$))'`;

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
  assignee: `CASE WHEN asg.id IS NOT NULL THEN ${restJson(user('asg'))} END`,
  source_project_id: 'm.source_project_id',
  target_project_id: 'm.target_project_id',
  labels: `COALESCE((SELECT json_agg(l.title ORDER BY l.title) FROM merge_request_labels ml
    JOIN labels l ON l.id = ml.label_id WHERE ml.merge_request_id = m.id), '[]')`,
  draft: DRAFT,
  work_in_progress: DRAFT,
  milestone: `CASE WHEN ms.id IS NOT NULL THEN ${restJson(milestone)} END`,
  merge_when_pipeline_succeeds: 'm.merge_when_pipeline_succeeds',
  merge_status: `CASE WHEN ${STALE} THEN 'unchecked' ELSE m.merge_status END`,
  sha: 'm.sha',
  merge_commit_sha: 'm.merge_commit_sha',
  user_notes_count: `(SELECT count(*) FROM notes n
    WHERE n.subject_type = 'MergeRequest' AND n.subject_id = m.id AND NOT n.system)`,
  should_remove_source_branch: 'm.should_remove_source_branch',
  force_remove_source_branch: 'm.force_remove_source_branch',
  web_url: `$1::text || '/' || ns.full_path || '/' || p.path || '/-/merge_requests/' || m.iid`,
};

/** Parameters: base URL, project, limit, offset. */
const LIST = `SELECT COALESCE(json_agg(${restJson(mergeRequest)} ORDER BY m.created_at DESC, m.id DESC), '[]')::text AS body
  FROM (SELECT m.* FROM merge_requests m WHERE m.target_project_id = $2
    ORDER BY m.created_at DESC, m.id DESC LIMIT $3 OFFSET $4) m
  JOIN projects p ON p.id = m.target_project_id JOIN namespaces ns ON ns.id = p.namespace_id
  JOIN users au ON au.id = m.author_id LEFT JOIN users asg ON asg.id = m.assignee_id
  LEFT JOIN milestones ms ON ms.id = m.milestone_id
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
