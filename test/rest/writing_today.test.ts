import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#rest/engine/compile.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

/** The parameters of today's endpoints that write, by method and path. */
const TODAY = readFileSync(new URL('writing_today.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [method = '', path = '', ...names] = line.split(' ');
    return { key: `${method} ${path}`, names };
  });

/** What is known and ignored, with the reason; for all endpoints that do not keep or refuse it. */
const IGNORED: Record<string, string> = {
  merge_after: 'whoever merges decides when; records have it as null',
  ...because('such events do not happen here, and the answer says false', [
    ...['emoji_events', 'milestone_events', 'vulnerability_events'],
    ...['resource_access_token_events', 'repository_update_events', 'subgroup_events', 'member_events'],
    ...['project_events', 'merge_requests_events'],
  ]),
  ...because('it is paid for elsewhere, and the free edition ignores it as well', [
    ...['weight', 'epic_id', 'member_role_id', 'auditor', 'approval_password'],
    ...['assignee_id', 'milestone_id', 'labels', 'group_with_project_templates_id'],
  ]),
  ...because('there is no such part of a project here that it could close', [
    ...['infrastructure_access_level', 'monitor_access_level'],
    ...['model_experiments_access_level', 'model_registry_access_level', 'analytics_access_level'],
    ...['requirements_access_level', 'security_and_compliance_access_level'],
    ...['auto_devops_enabled', 'auto_devops_deploy_strategy', 'cluster_agent_id', 'kubernetes_namespace'],
    ...['flux_resource_path', 'ci_allow_fork_pipelines_to_run_in_parent_project'],
  ]),
  ...because('it only changes how pages look', [
    ...['show_default_award_emojis', 'warn_about_potentially_unwanted_characters', 'mr_default_target_self'],
    ...['printing_merge_request_link_enabled', 'issue_branch_template', 'suggestion_commit_message'],
    'resolve_outdated_diff_discussions',
  ]),
  ...because('issues have no such value here; answers say so', ['start_date']),
  ...because('the server decides it for all', [
    ...['repository_storage', 'task', 'default_branch', 'default_branch_protection'],
    ...['default_branch_protection_defaults', 'two_factor_grace_period', 'organization_id'],
    ...['keep_latest_artifact', 'enforce_auth_checks_on_uploads', 'branch'],
  ]),
  ...because('runners and pipelines work as if it was not there, and clients send what today has anyway', [
    ...['build_git_strategy', 'ci_forward_deployment_enabled', 'ci_forward_deployment_rollback_allowed'],
  ]),
  ...because('nothing is deleted on its own here, and what users wrote stays', [
    ...['ci_delete_pipelines_in_seconds', 'hard_delete'],
  ]),
  ...because('it says where a request comes from, or what is so anyway', [
    ...['invite_source', 'skip_subresources', 'skip_confirmation', 'merge_request_diff_head_sha', 'force'],
  ]),
};

function because(reason: string, names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const shape = (key: string) => key.replace(/:\w+/g, ':');
const byShape = new Map([...ENDPOINTS].map(([key, endpoint]) => [shape(key), endpoint]));

/** The names that an endpoint reads, or refuses. */
function known({ route, parameters }: Endpoint): Set<string> {
  const { synonyms = {}, aliases = {}, unsupported = {}, file = '' } = route;
  const read = parameters.map(({ keys: [name] }) => name);
  return new Set([...read, ...[synonyms, aliases, unsupported].flatMap(Object.keys), file]);
}

describe('Every parameter of what writes today', () => {
  it('is kept, refused, or ignored for a reason', () => {
    const used = new Set<string>();
    const dropped = TODAY.flatMap(({ key, names }) => {
      const endpoint = byShape.get(shape(key));
      if (!endpoint) return [];
      const there = known(endpoint);
      const left = names.filter((name) => !there.has(name));
      for (const name of left) used.add(name);
      return left.filter((name) => IGNORED[name] === undefined).map((name) => `${key} ${name}`);
    });
    expect(dropped).toEqual([]);
    expect(Object.keys(IGNORED).filter((name) => !used.has(name))).toEqual([]);
  });

  it('belongs to an endpoint that is there, but for these, which are 404', () => {
    expect(TODAY.map(({ key }) => key).filter((key) => !byShape.has(shape(key)))).toEqual(ABSENT);
  });
});

describe('A parameter that is refused', () => {
  it('is named, and taken where it is empty or says what holds anyway', LONG, async () => {
    const world = await startWorld();
    const owner = await world.user();
    const project = await world.project({ owner });
    const api = world.api(owner);
    const at = `/projects/${project.id}`;
    const refused = (name: string) => ({ status: 400, body: { error: `${name} is not supported here` } });
    for (const value of ['private', 'disabled']) {
      const sent = { releases_access_level: value };
      expect(await api.put(at, sent)).toMatchObject(refused('releases_access_level'));
    }
    for (const value of ['enabled', '', null]) {
      expect(await api.put(at, { releases_access_level: value })).toMatchObject({ status: 200 });
    }
    expect(await api.put(at, { emails_disabled: true })).toMatchObject(refused('emails_disabled'));
    expect(await api.put(at, { emails_disabled: false, emails_enabled: true })).toMatchObject({ status: 200 });
    expect(await api.post(`${at}/fork`, { branches: 'main', path: 'x' })).toMatchObject(refused('branches'));
    for (const value of ['off', 'No', 0]) {
      expect(await api.put(at, { emails_disabled: value, packages_enabled: 'yes' })).toMatchObject({ status: 200 });
    }
    expect(await api.put(at, { build_coverage_regex: 'x' })).toMatchObject(refused('build_coverage_regex'));
    const group = await world.group({ owner });
    const twoFactor = await api.put(`/groups/${group.id}`, { require_two_factor_authentication: true });
    expect(twoFactor).toMatchObject(refused('require_two_factor_authentication'));
  });
});

const ABSENT = [
  'POST /projects/:id/environments/stop_stale',
  'DELETE /projects/:id/environments/review_apps',
  'POST /projects/:id/issues/:issue_iid/clone',
  'PUT /projects/:id/deploy_keys/:key_id',
  'PUT /user/avatar',
  'PUT /application/plan_limits',
  'POST /projects/:id/freeze_periods',
  'POST /projects/:id/secure_files',
  'POST /projects/:id/merge_requests/:merge_request_iid/context_commits',
];
