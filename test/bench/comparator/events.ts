import { access } from './access.ts';
import { baseUrl, paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { avatar, listText, restJson, textWithout, timestamp, user } from './json.ts';

/** What was pushed, with the addresses that belong to it; `$1` is the base URL, `$2` its host. */
const DATA = `CASE WHEN e.data->'project' IS NULL THEN e.data ELSE e.data || jsonb_build_object(
  'event_name', e.data->'object_kind', 'message', NULL, 'user_avatar', ${avatar('u')},
  'project', e.data->'project' || jsonb_build_object('web_url', a.homepage, 'avatar_url', NULL, 'git_ssh_url', a.ssh,
    'git_http_url', a.homepage || '.git'),
  'repository', jsonb_build_object('name', e.data->'project'->'name', 'url', a.ssh,
    'description', e.data->'project'->'description', 'homepage', a.homepage),
  'commits', (SELECT COALESCE(jsonb_agg(c || jsonb_build_object('url', a.homepage || '/-/commit/' || (c->>'id')) ORDER BY ord), '[]')
    FROM jsonb_array_elements(e.data->'commits') WITH ORDINALITY AS commit (c, ord))) END`;

const TITLE = `COALESCE(CASE e.target_type WHEN 'Issue' THEN (SELECT i.title FROM issues i WHERE i.id = e.target_id)
  WHEN 'Milestone' THEN (SELECT m.title FROM milestones m WHERE m.id = e.target_id) END, e.target_title)`;

const note = restJson({
  id: 'c.id',
  body: 'c.note',
  attachment: 'NULL',
  author: restJson(user('cu')),
  created_at: timestamp('c.created_at'),
  updated_at: timestamp('c.created_at'),
  system: 'false',
  noteable_id: 'NULL',
  noteable_type: "'Commit'",
});

/** The number of an issue or milestone. */
const TARGET_IID = `CASE e.target_type WHEN 'Issue' THEN (SELECT i.iid FROM issues i WHERE i.id = e.target_id)
  WHEN 'Milestone' THEN (SELECT m.iid FROM milestones m WHERE m.id = e.target_id) END`;

const event = restJson({
  id: 'e.id',
  target_iid: TARGET_IID,
  imported: 'false',
  imported_from: "'none'",
  title: 'NULL',
  project_id: 'e.project_id',
  action_name: 'e.action',
  target_id: 'e.target_id',
  target_type: 'e.target_type',
  author_id: 'e.author_id',
  data: DATA,
  target_title: TITLE,
  created_at: timestamp('e.created_at'),
  author: restJson(user('u')),
  author_username: 'u.username',
});

const NOTHING = `repeat('0', 40)`;

/** What was pushed in short. */
const pushData = restJson({
  commit_count: "e.data->'total_commits_count'",
  action: `CASE ${NOTHING} WHEN e.data->>'before' THEN 'created' WHEN e.data->>'after' THEN 'removed' ELSE 'pushed' END`,
  ref_type: `CASE WHEN e.data->>'ref' LIKE 'refs/tags/%' THEN 'tag' ELSE 'branch' END`,
  commit_from: `NULLIF(e.data->>'before', ${NOTHING})`,
  commit_to: `NULLIF(e.data->>'after', ${NOTHING})`,
  ref: `regexp_replace(e.data->>'ref', '^refs/(heads|tags)/', '')`,
  commit_title: `split_part(e.data->'commits'->-1->>'message', chr(10), 1)`,
  ref_count: 'NULL',
});

/** The events of the project `$3` that the user `$4` may see. Whoever reads confidential issues reads commits too. */
function conditions(secrets: boolean, [project, viewer]: [string, string]): string {
  const issue = secrets ? 'TRUE' : `(NOT i.confidential OR i.author_id = ${viewer} OR i.assignee_id = ${viewer})`;
  return `e.project_id = ${project} AND CASE
    WHEN e.target_type IS NULL AND e.data IS NULL OR e.target_type = 'Milestone' THEN TRUE
    WHEN e.target_type IS NULL OR e.target_type = 'Note' THEN ${secrets}
    WHEN e.target_type = 'Issue' THEN EXISTS (SELECT 1 FROM issues i
      WHERE i.id = e.target_id AND (i.deleted_at IS NULL OR e.action = 'destroyed') AND ${issue})
    ELSE FALSE END`;
}

const OPTIONAL = {
  note: `CASE WHEN c.id IS NOT NULL THEN ${note} END`,
  push_data: `CASE WHEN e.data ? 'ref' THEN ${pushData} END`,
};

const listSql = (secrets: boolean) => `SELECT max(e.id) AS newest,
    ${listText(textWithout(event, OPTIONAL), 'e.id DESC')} AS body
  FROM (SELECT e.* FROM events e WHERE ${conditions(secrets, ['$3', '$6'])} ORDER BY e.id DESC LIMIT $4 OFFSET $5) e
  JOIN users u ON u.id = e.author_id JOIN projects p ON p.id = e.project_id JOIN namespaces ns ON ns.id = p.namespace_id
  LEFT JOIN commit_comments c ON e.target_type = 'Note' AND c.id = e.target_id LEFT JOIN users cu ON cu.id = c.author_id
  CROSS JOIN LATERAL (SELECT $1::text || '/' || (e.data->'project'->>'path_with_namespace') AS homepage,
    'git@' || $2::text || ':' || (e.data->'project'->>'path_with_namespace') || '.git' AS ssh) a`;

const countSql = (secrets: boolean) =>
  `SELECT count(*)::int AS total FROM events e WHERE ${conditions(secrets, ['$1', '$2'])}`;

app.get('/api/v4/projects/:id/events', async (request, response) => {
  const { userId, projectId, secrets } = await access(request, request.params.id);
  const { page, perPage, offset } = paging(request);
  const viewer = secrets ? [] : [userId];
  const values = [baseUrl(request), request.hostname, projectId, perPage, offset, ...viewer];
  const [list, count] = await Promise.all([
    one<{ body: string; newest: number | null }>(`events-${secrets}`, () => listSql(secrets), values),
    one<{ total: number }>(`count-events-${secrets}`, () => countSql(secrets), [projectId, ...viewer]),
  ]);
  // Further pages show the feed as it was for the first one.
  const pinned: Record<string, string> = page === 1 && list?.newest != null ? { up_to: String(list.newest) } : {};
  sendPage(request, response, { ...list, ...count }, pinned);
});
