import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#src/platform/database/db.ts';
import { Listener } from '#src/platform/database/listener.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { currentSettings, forgetSettings } from '#src/platform/settings/current.ts';
import { watchSettings } from '#src/platform/settings/watch.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const api = world.api(admin);
const AT = '/application/settings';

const DEFAULTS = {
  id: 1,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  default_projects_limit: 100_000,
  signup_enabled: true,
  signin_enabled: true,
  avatar_service_enabled: true,
  sign_in_text: null,
  home_page_url: null,
  default_branch_protection: 2,
  restricted_visibility_levels: null,
  max_attachment_size: 10,
  session_expire_delay: 10_080,
  default_project_visibility: 'private',
  default_snippet_visibility: 'private',
  default_group_visibility: 'private',
  domain_whitelist: null,
  domain_blacklist_enabled: false,
  domain_blacklist: null,
  user_oauth_applications: true,
  after_sign_out_path: null,
  container_registry_token_expire_delay: 5,
  repository_storages: ['default'],
  repository_storage: 'default',
  enabled_git_access_protocol: null,
  codeide_enabled: false,
  codeide_url: null,
  disabled_oauth_sign_in_sources: [],
  diagram_enabled: false,
  diagram_url: null,
  terminal_max_session_time: 0,
  polling_interval_multiplier: '1.0',
  require_admin_approval_after_user_signup: false,
  deactivate_dormant_users_period: 90,
  password_authentication_enabled_for_web: true,
  password_authentication_enabled_for_git: true,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  user_default_external: false,
  can_create_group: true,
  default_branch_name: null,
  shared_runners_enabled: true,
  max_artifacts_size: 100,
  max_pages_size: 100,
  default_artifacts_expire_in: '30 days',
  default_ci_config_path: null,
  import_sources: ['git', 'gitlab_project', 'github', 'gitea', 'gitlab'],
  require_personal_access_token_expiry: false,
  personal_access_token_prefix: 'glpat-',
  allow_local_requests_from_web_hooks_and_services: false,
  throttle_unauthenticated_api_enabled: true,
  throttle_unauthenticated_api_requests_per_period: 6000,
  throttle_unauthenticated_api_period_in_seconds: 60,
  throttle_unauthenticated_enabled: false,
  throttle_unauthenticated_requests_per_period: 3600,
  throttle_unauthenticated_period_in_seconds: 3600,
  throttle_authenticated_api_enabled: false,
  throttle_authenticated_api_requests_per_period: 7200,
  throttle_authenticated_api_period_in_seconds: 3600,
  throttle_authenticated_web_enabled: false,
  throttle_authenticated_web_requests_per_period: 7200,
  throttle_authenticated_web_period_in_seconds: 3600,
  throttle_protected_paths_enabled: true,
  throttle_protected_paths_requests_per_period: 600,
  throttle_protected_paths_period_in_seconds: 60,
  domain_allowlist: [],
  domain_denylist_enabled: false,
  domain_denylist: [],
  admin_mode: false,
  deletion_adjourned_period: 0,
  anonymous_api_reads: false,
  project_export_enabled: true,
  max_export_size: 0,
  max_import_size: 0,
  allow_bypass_placeholder_confirmation: false,
  allow_contribution_mapping_to_admins: false,
};

beforeEach(async () => {
  const row = await world.db.applicationSettings.findUniqueOrThrow({ where: { id: 1 } });
  await world.db.$transaction([
    world.db.applicationSettings.delete({ where: { id: 1 } }),
    world.db.applicationSettings.create({ data: { createdAt: row.createdAt } }),
  ]);
  forgetSettings(world.db);
});

const stored = () => world.db.applicationSettings.findUniqueOrThrow({ where: { id: 1 } });

describe('GET /application/settings', () => {
  it('tells all settings in the order of the contract, with its defaults', async () => {
    const { status, body } = await api.get(AT);
    expect(status).toBe(200);
    expect(body).toEqual(DEFAULTS);
    expect(Object.keys(body)).toEqual(Object.keys(DEFAULTS));
  });

  it('is for administrators', async () => {
    expect(await world.api(user).get(AT)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
    expect(await world.api().get(AT)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
  });
});

describe('PUT /application/settings', () => {
  it('changes what is given, answers all, and leaves the rest', async () => {
    const given = {
      default_projects_limit: 7,
      signup_enabled: false,
      signin_enabled: false,
      avatar_service_enabled: false,
      sign_in_text: 'Willkommen — ようこそ',
      home_page_url: 'https://example.org/home',
      default_branch_protection: 1,
      restricted_visibility_levels: ['public', 'internal'],
      max_attachment_size: 25,
      session_expire_delay: 0,
      default_project_visibility: 'internal',
      default_snippet_visibility: 'public',
      default_group_visibility: 'internal',
      domain_whitelist: ['example.org', '*.example.com'],
      domain_blacklist_enabled: true,
      domain_blacklist: ['spam.example'],
      user_oauth_applications: false,
      after_sign_out_path: '/bye',
      container_registry_token_expire_delay: 9,
      repository_storages: ['default'],
      enabled_git_access_protocol: 'ssh',
      codeide_enabled: true,
      codeide_url: 'https://ide.example.org',
      disabled_oauth_sign_in_sources: ['other'],
      diagram_enabled: true,
      diagram_url: 'https://diagrams.example.org',
      terminal_max_session_time: 60,
      polling_interval_multiplier: 1.5,
    };
    const { status, body } = await api.put(AT, given);
    expect([status, Object.keys(body)]).toEqual([200, Object.keys(DEFAULTS)]);
    const today = {
      domain_allowlist: body.domain_whitelist,
      domain_denylist_enabled: true,
      domain_denylist: body.domain_blacklist,
    };
    expect(body).toEqual({ ...DEFAULTS, ...given, ...today, polling_interval_multiplier: '1.5' });
    expect((await api.get(AT)).body).toEqual(body);
    const one = await api.put(AT, { max_attachment_size: 26 });
    expect(one.body).toEqual({ ...body, max_attachment_size: 26, updated_at: expect.any(String) });
    expect(one.body.updated_at > body.updated_at).toBe(true);
  });

  it('takes form fields, lists of one and numbers as text', async () => {
    const headers = { 'PRIVATE-TOKEN': admin.token, 'Content-Type': 'application/x-www-form-urlencoded' };
    const form =
      'restricted_visibility_levels=public&polling_interval_multiplier=0.5&signup_enabled=no&domain_whitelist[]=a.org';
    const { status, body } = await world.send('PUT', `/api/v4${AT}`, { headers, body: form });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      restricted_visibility_levels: ['public'],
      polling_interval_multiplier: '0.5',
      signup_enabled: false,
      domain_whitelist: ['a.org'],
    });
  });

  it('takes domains however they are separated', LONG, async () => {
    const { body } = await api.put(AT, { domain_whitelist: 'a.org\r\nb.org, c.org; d.org a.org' });
    expect(body.domain_whitelist).toEqual(['a.org', 'b.org', 'c.org', 'd.org']);
  });

  it.each([
    ['restricted_visibility_levels', ['public'], []],
    ['restricted_visibility_levels', ['public'], null],
    ['domain_whitelist', ['a.org'], ''],
    ['domain_whitelist', ['a.org'], []],
    ['domain_blacklist', ['a.org'], null],
    ['home_page_url', 'http://example.org', ''],
    ['sign_in_text', 'hello', null],
    ['after_sign_out_path', 'https://example.org/bye', ''],
    ['enabled_git_access_protocol', 'http', 'nil'],
    ['enabled_git_access_protocol', 'http', ''],
    ['enabled_git_access_protocol', 'ssh', null],
    ['codeide_url', 'http://ide', null],
  ])('takes %s away again', async (name, value, none) => {
    expect((await api.put(AT, { [name]: value })).body[name]).toEqual(value);
    const { status, body } = await api.put(AT, { [name]: none });
    expect([status, body[name]]).toEqual([200, null]);
    expect(await stored()).toMatchObject({ signupEnabled: true });
  });

  it('leaves a setting that always has a value as it is when a blank is given', async () => {
    const { status, body } = await api.put(AT, { signup_enabled: '', max_attachment_size: null });
    expect([status, body.signup_enabled, body.max_attachment_size]).toEqual([200, true, 10]);
  });

  it('takes repository_storage for the only storage', async () => {
    const { status, body } = await api.put(AT, { repository_storage: 'default' });
    expect([status, body.repository_storages, body.repository_storage]).toEqual([200, ['default'], 'default']);
  });

  it('takes the names that older servers had, and tells no document of them', async () => {
    const given = {
      koding_enabled: true,
      koding_url: 'http://ide',
      plantuml_enabled: true,
      plantuml_url: 'http://uml',
      gravatar_enabled: false,
    };
    const { status, body } = await api.put(AT, given);
    expect([status, Object.keys(body)]).toEqual([200, Object.keys(DEFAULTS)]);
    expect(body).toMatchObject({
      codeide_enabled: true,
      codeide_url: 'http://ide',
      diagram_enabled: true,
      diagram_url: 'http://uml',
      avatar_service_enabled: false,
    });
    expect((await api.put(AT, { gravatar_enabled: false, avatar_service_enabled: true })).body).toMatchObject({
      avatar_service_enabled: true,
    });
    const documents = ['rest/openapi.json', 'schema/schema.graphql'].map((file) =>
      readFileSync(packagePath(file), 'utf8'),
    );
    for (const name of Object.keys(given)) for (const text of documents) expect(text).not.toContain(name);
  });

  const NAMES = Object.keys(DEFAULTS).slice(3);
  it.each([
    [{}, { error: `${NAMES.join(', ')} are missing, at least one parameter must be provided` }],
    [{ default_projects_limit: 'many' }, { error: 'default_projects_limit is invalid' }],
    [{ signup_enabled: 'perhaps' }, { error: 'signup_enabled is invalid' }],
    [{ polling_interval_multiplier: 'often' }, { error: 'polling_interval_multiplier is invalid' }],
    [{ polling_interval_multiplier: 'Infinity' }, { error: 'polling_interval_multiplier is invalid' }],
    [{ default_branch_protection: 3 }, { error: 'default_branch_protection does not have a valid value' }],
    [{ default_project_visibility: 'secret' }, { error: 'default_project_visibility does not have a valid value' }],
    [{ enabled_git_access_protocol: 'telnet' }, { error: 'enabled_git_access_protocol does not have a valid value' }],
    [{ codeide_enabled: true }, { error: 'codeide_url is missing' }],
    [{ diagram_enabled: true, codeide_enabled: 1 }, { error: 'codeide_url is missing, diagram_url is missing' }],
    [{ domain_blacklist_enabled: true }, { error: 'domain_blacklist is missing' }],
    [{ codeide_enabled: true, codeide_url: '' }, { message: { codeide_url: ["can't be blank"] } }],
    [{ diagram_enabled: true, diagram_url: ' ' }, { message: { diagram_url: ["can't be blank"] } }],
    [
      { domain_blacklist_enabled: true, domain_blacklist: [] },
      { message: { domain_blacklist: ['Domain blacklist cannot be empty if Blacklist is enabled.'] } },
    ],
    [{ admin_mode: true }, { message: { admin_mode: ['can only be false'] } }],
    [{ deletion_adjourned_period: 7 }, { message: { deletion_adjourned_period: ['can only be 0'] } }],
    [{ default_branch_name: 'a b' }, { message: { default_branch_name: ['is invalid'] } }],
    [{ default_ci_config_path: '../ci.yml' }, { message: { default_ci_config_path: ['is invalid'] } }],
    [
      { default_artifacts_expire_in: 'soon' },
      { message: { default_artifacts_expire_in: ['is not a correct duration'] } },
    ],
    [
      { personal_access_token_prefix: 'x'.repeat(21) },
      { message: { personal_access_token_prefix: ['is too long (maximum is 20 characters)'] } },
    ],
    [{ personal_access_token_prefix: 'a b' }, { message: { personal_access_token_prefix: ['is invalid'] } }],
    [{ personal_access_token_prefix: 'gldt-' }, { message: { personal_access_token_prefix: ['is invalid'] } }],
    [{ import_sources: ['git', 'fax'] }, { message: { import_sources: ["'fax' is not an import source"] } }],
    [{ max_artifacts_size: 0 }, { message: { max_artifacts_size: ['must be greater than 0'] } }],
    [{ two_factor_grace_period: -1 }, { message: { two_factor_grace_period: ['must be greater than or equal to 0'] } }],
    [
      { throttle_authenticated_api_requests_per_period: 0 },
      { message: { throttle_authenticated_api_requests_per_period: ['must be greater than 0'] } },
    ],
    [{ max_attachment_size: 0 }, { message: { max_attachment_size: ['must be greater than 0'] } }],
    [{ session_expire_delay: -1 }, { message: { session_expire_delay: ['must be greater than or equal to 0'] } }],
    [{ default_projects_limit: -1 }, { message: { default_projects_limit: ['must be greater than or equal to 0'] } }],
    [
      { polling_interval_multiplier: -0.5 },
      { message: { polling_interval_multiplier: ['must be greater than or equal to 0'] } },
    ],
    [{ home_page_url: 'javascript:alert(1)' }, { message: { home_page_url: ['must be a valid URL'] } }],
    [{ after_sign_out_path: '//elsewhere.example' }, { message: { after_sign_out_path: ['must be a valid URL'] } }],
    [{ repository_storages: ['default', 'x'] }, { message: { repository_storages: ["can't include: x"] } }],
    [{ repository_storage: 'x' }, { message: { repository_storages: ["can't include: x"] } }],
    [{ repository_storages: [] }, { message: { repository_storages: ["can't be blank"] } }],
    [
      { restricted_visibility_levels: ['public', 'secret'] },
      { message: { restricted_visibility_levels: ["'secret' is not a valid visibility level"] } },
    ],
  ])('refuses %j', async (given, body) => {
    const before = await stored();
    const answer = await api.put(AT, given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await stored()).toEqual(before);
  });

  it('lets a switch go on when what it requires is stored already, and stay on only with it', async () => {
    await api.put(AT, { codeide_url: 'http://ide', domain_blacklist: ['a.org'] });
    expect((await api.put(AT, { codeide_enabled: true, domain_blacklist_enabled: true })).status).toBe(200);
    expect(await api.put(AT, { codeide_url: null })).toMatchObject({ status: 400 });
    expect(await api.put(AT, { domain_blacklist: '' })).toMatchObject({ status: 400 });
    expect((await api.put(AT, { codeide_url: null, codeide_enabled: false })).body.codeide_url).toBeNull();
  });

  it('lets no two changes at once switch on what the other takes the address from', LONG, async () => {
    await api.put(AT, { codeide_url: 'http://ide' });
    const both = [api.put(AT, { codeide_enabled: true }), api.put(AT, { codeide_url: null })];
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 400]);
    const { codeideEnabled, codeideUrl } = await stored();
    expect(codeideEnabled && codeideUrl === null).toBe(false);
  });

  it('is for administrators, whatever they give', async () => {
    const before = await stored();
    expect(await world.api(user).put(AT, {})).toMatchObject({ status: 403 });
    expect(await world.api(user).put(AT, { signup_enabled: false })).toMatchObject({ status: 403 });
    expect(await world.api().put(AT, { signup_enabled: false })).toMatchObject({ status: 401 });
    expect(await stored()).toEqual(before);
  });
});

describe('A change of settings', () => {
  it('is heard by every process', LONG, async () => {
    const other = connect(world.databaseUrl);
    const listener = await Listener.open(world.databaseUrl, (error) => console.error(error));
    const stop = await watchSettings(other, listener);
    onTestFinished(async () => {
      await listener.close();
      await other.$disconnect();
    });
    expect((await currentSettings(other)).sessionExpireDelay).toBe(10_080);
    await api.put(AT, { session_expire_delay: 3 });
    await world.until(async () => (await currentSettings(other)).sessionExpireDelay === 3);
    await stop();
  });

  it('takes the pictures of the avatar service away at once', async () => {
    const project = await world.project({ owner: user });
    const picture = async () => (await world.api(user).get(`/projects/${project.id}`)).body.owner.avatar_url;
    expect(await picture()).toMatch(/^https:\/\//);
    await api.put(AT, { avatar_service_enabled: false });
    expect(await picture()).toBeNull();
  });
});

describe('Settings in GraphQL', () => {
  const query =
    '{ applicationSettings { sessionExpireDelay enabledGitAccessProtocol restrictedVisibilityLevels domainWhitelist } }';
  const mutation = `mutation ($input: UpdateApplicationSettingsInput!) { updateApplicationSettings(input: $input) {
    settings { sessionExpireDelay enabledGitAccessProtocol restrictedVisibilityLevels domainWhitelist } } }`;

  it('can be read and changed by administrators', async () => {
    const input = {
      enabledGitAccessProtocol: 'HTTP',
      restrictedVisibilityLevels: ['PUBLIC'],
      domainWhitelist: ['a.org'],
    };
    const changed = await world.graphql(mutation, { input }, admin);
    const settings = { sessionExpireDelay: 10_080, ...input };
    expect(changed.body.data.updateApplicationSettings).toEqual({ settings });
    expect((await world.graphql(query, {}, admin)).body.data.applicationSettings).toEqual(settings);
  });

  it('are refused to others, and refuse what makes no sense', async () => {
    const code = async (who: typeof user | undefined, input: object) =>
      (await world.graphql(mutation, { input }, who)).body.errors[0].extensions;
    expect(await code(user, { signupEnabled: false })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await code(undefined, { signupEnabled: false })).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await code(admin, { codeideEnabled: true })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.codeideUrl': ['is missing'] },
    });
    expect(await code(admin, { defaultBranchProtection: 3 })).toMatchObject({
      fields: { 'input.defaultBranchProtection': ['must be one of FULL, NONE, PARTIAL'] },
    });
    expect((await world.graphql(query, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await stored()).toMatchObject({
      signupEnabled: true,
      codeideEnabled: false,
      restrictedVisibilityLevels: null,
    });
  });
});
