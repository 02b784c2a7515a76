import { authenticate } from './access.ts';
import { baseUrl, paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { type Fields, listText, restJson, textWithout, timestamp, user } from './json.ts';

const notExpired = (alias: string) =>
  `(${alias}.expires_at IS NULL OR ${alias}.expires_at > (now() AT TIME ZONE 'UTC')::date)`;

/** Whether a user may see the project `p` in the namespace `ns`. */
export function visible(p: string, ns: string, [id, admin, external]: [string, string, string]): string {
  return `(${p}.deleted_at IS NULL AND (${admin} OR ${p}.visibility = 'public' OR ${p}.visibility = 'internal' AND NOT ${external}
    OR ${ns}.owner_id = ${id}
    OR EXISTS (SELECT 1 FROM members m WHERE m.user_id = ${id} AND (m.project_id = ${p}.id OR m.namespace_id = ANY(${ns}.lineage))
      AND ${notExpired('m')})
    OR EXISTS (SELECT 1 FROM project_shares s JOIN namespaces g ON g.id = s.group_id JOIN members m ON m.namespace_id = ANY(g.lineage)
      WHERE s.project_id = ${p}.id AND m.user_id = ${id} AND ${notExpired('s')} AND ${notExpired('m')})))`;
}

/** The level of the user's membership of the project `p`, and of its group. */
const OWN_LEVEL = `(SELECT m.access_level FROM members m WHERE m.project_id = p.id AND m.user_id = $3 AND ${notExpired('m')})`;
const GROUP_LEVEL = `(SELECT max(m.access_level) FROM members m WHERE m.namespace_id = ANY(ns.lineage) AND m.user_id = $3
  AND ${notExpired('m')})`;

/** How many issues are open that the user sees. */
const OPEN_ISSUES = `CASE WHEN $4 OR GREATEST(l.own, l.around) >= 20 OR c.opened_confidential = 0 THEN c.opened
  ELSE c.opened - c.opened_confidential + (SELECT count(*) FROM issues i WHERE i.project_id = p.id AND i.confidential
    AND i.state = 'opened' AND i.deleted_at IS NULL AND (i.author_id = $3 OR i.assignee_id = $3)) END`;

const SHARES = `COALESCE((SELECT json_agg(json_build_object('group_id', g.id, 'group_name', g.name,
    'group_access_level', s.group_access) ORDER BY s.id)
  FROM project_shares s JOIN namespaces g ON g.id = s.group_id WHERE s.project_id = p.id AND ${notExpired('s')}), '[]')`;

const permission = (level: string) =>
  `CASE WHEN ${level} IS NOT NULL THEN json_build_object('access_level', ${level}, 'notification_level', 3) END`;

/** The same column of the project. */
const columns = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, `p.${name}`]));

const addresses = (p: string, ns: string): Fields => ({
  id: `${p}.id`,
  name: `${p}.name`,
  path: `${p}.path`,
  name_with_namespace: `${ns}.full_name || ' / ' || ${p}.name`,
  path_with_namespace: `${ns}.full_path || '/' || ${p}.path`,
  web_url: `$1::text || '/' || ${ns}.full_path || '/' || ${p}.path`,
  http_url_to_repo: `$1::text || '/' || ${ns}.full_path || '/' || ${p}.path || '.git'`,
});

/** What is found below the address of a project. */
const LINKS = {
  self: '',
  issues: '/issues',
  merge_requests: '/merge_requests',
  repo_branches: '/repository/branches',
  labels: '/labels',
  events: '/events',
  members: '/members',
};

const access = (flag: string) => `CASE WHEN p.${flag} THEN 'enabled' ELSE 'disabled' END`;

const project = restJson({
  ...addresses('p', 'ns'),
  ...columns(
    'description',
    'default_branch',
    'tag_list',
    'archived',
    'visibility',
    'creator_id',
    'public_jobs',
    'ci_default_git_depth',
    'merge_method',
    'squash_option',
    'merge_commit_template',
    'squash_commit_template',
    'remove_source_branch_after_merge',
    'autoclose_referenced_issues',
    'allow_merge_on_skipped_pipeline',
    'ci_config_path',
  ),
  ...columns('issues_enabled', 'merge_requests_enabled', 'wiki_enabled', 'jobs_enabled', 'snippets_enabled'),
  ...columns(
    'container_registry_enabled',
    'shared_runners_enabled',
    'group_runners_enabled',
    'lfs_enabled',
    'request_access_enabled',
  ),
  ...columns('only_allow_merge_if_pipeline_succeeds', 'only_allow_merge_if_all_discussions_are_resolved'),
  ...Object.fromEntries(
    ['issues', 'merge_requests', 'wiki', 'snippets', 'container_registry'].map((name) => [
      `${name}_access_level`,
      access(`${name}_enabled`),
    ]),
  ),
  builds_access_level: access('jobs_enabled'),
  auto_cancel_pending_pipelines: access('auto_cancel_pending_pipelines'),
  ci_push_repository_for_job_token_allowed: 'p.job_token_push_allowed',
  ssh_url_to_repo: `'git@' || $2::text || ':' || ns.full_path || '/' || p.path || '.git'`,
  container_registry_image_prefix: `split_part($1::text, '://', 2) || '/' || lower(ns.full_path || '/' || p.path)`,
  topics: 'p.tag_list',
  repository_access_level: `'enabled'`,
  empty_repo: `NOT EXISTS (SELECT 1 FROM recorded_refs r WHERE r.project_id = p.id AND starts_with(r.name, 'refs/heads/'))`,
  build_timeout: 'p.build_timeout',
  _links: restJson(
    Object.fromEntries(
      Object.entries(LINKS).map(([name, below]) => [name, `$1::text || '/api/v4/projects/' || p.id || '${below}'`]),
    ),
  ),
  created_at: timestamp('p.created_at'),
  updated_at: timestamp('p.updated_at'),
  last_activity_at: timestamp('p.last_activity_at'),
  namespace: restJson({
    id: 'ns.id',
    name: 'ns.name',
    path: 'ns.path',
    kind: 'ns.kind',
    full_path: 'ns.full_path',
    parent_id: 'ns.parent_id',
    avatar_url: 'NULL',
    web_url: "$1::text || '/' || CASE ns.kind WHEN 'group' THEN 'groups/' ELSE '' END || ns.full_path",
  }),
  readme_url: `CASE WHEN lc.readme IS NOT NULL AND p.default_branch IS NOT NULL AND EXISTS (SELECT 1 FROM recorded_refs r
    WHERE r.project_id = p.id AND starts_with(r.name, 'refs/heads/'))
    THEN $1::text || '/' || ns.full_path || '/' || p.path || '/-/blob/' || p.default_branch || '/' || lc.readme END`,
  can_create_merge_request_in: `NOT p.archived AND p.merge_requests_enabled`,
  mirror: 'COALESCE(pm.enabled, false)',
  mirror_user_id: 'pm.user_id',
  mirror_trigger_builds: 'COALESCE(pm.triggers_pipelines, false)',
  only_mirror_protected_branches: 'COALESCE(pm.only_protected_branches, false)',
  mirror_overwrites_diverged_branches: 'COALESCE(pm.overwrites_diverged, false)',
  avatar_url: 'NULL',
  star_count: 'c.stars',
  forks_count: 'c.forks',
  shared_with_groups: SHARES,
  permissions: restJson({ project_access: permission('l.own'), group_access: permission('l.around') }),
});

const sometimes: Fields = {
  owner: `CASE WHEN o.id IS NOT NULL THEN ${restJson(user('o'))} END`,
  forked_from_project: `CASE WHEN f.id IS NOT NULL THEN ${restJson(addresses('f', 'fns'))} END`,
  open_issues_count: `CASE WHEN p.issues_enabled THEN ${OPEN_ISSUES} END`,
};

/** Parameters: base URL, its host, user, whether they administrate or are external, limit, offset. */
const LIST = `SELECT ${listText(textWithout(project, sometimes), 'p.created_at DESC, p.id DESC')} AS body
  FROM (SELECT p.* FROM projects p JOIN namespaces ns ON ns.id = p.namespace_id WHERE ${visible('p', 'ns', ['$3', '$4', '$5'])}
      AND NOT p.archived ORDER BY p.created_at DESC, p.id DESC LIMIT $6 OFFSET $7) p
  JOIN namespaces ns ON ns.id = p.namespace_id JOIN project_counters c ON c.project_id = p.id
  LEFT JOIN users o ON o.id = ns.owner_id LEFT JOIN language_counts lc ON lc.project_id = p.id
  LEFT JOIN pull_mirrors pm ON pm.project_id = p.id
  LEFT JOIN (projects f JOIN namespaces fns ON fns.id = f.namespace_id)
    ON f.id = p.forked_from_id AND ${visible('f', 'fns', ['$3', '$4', '$5'])}
  CROSS JOIN LATERAL (SELECT ${OWN_LEVEL} AS own, ${GROUP_LEVEL} AS around) l`;

const COUNT = `SELECT count(*)::int AS total FROM projects p JOIN namespaces ns ON ns.id = p.namespace_id
  WHERE ${visible('p', 'ns', ['$1', '$2', '$3'])} AND NOT p.archived`;

app.get('/api/v4/projects', async (request, response) => {
  const { id, admin, external } = await authenticate(request);
  const { perPage, offset } = paging(request);
  const values = [baseUrl(request), request.hostname, id, admin, external, perPage, offset];
  const [list, count] = await Promise.all([
    one<{ body: string }>('projects', () => LIST, values),
    one<{ total: number }>('count-projects', () => COUNT, [id, admin, external]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
