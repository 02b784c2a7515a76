import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSettings } from '#src/platform/settings/current.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { LISTED_PROJECT_KEYS } from '../support/records.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const admin = await world.user({ admin: true });
const external = await world.user({ external: true });
const api = world.api(user);

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ defaultProjectVisibility: 'private', restrictedVisibilityLevels: [] }));

const KEYS = [
  ...LISTED_PROJECT_KEYS,
  ...[
    'owner',
    'runners_token',
    'description_html',
    'issues_template',
    'merge_requests_template',
    'import_url',
    'import_type',
    'container_expiration_policy',
  ],
].sort();

/** A request that is refused, and leaves no project behind. */
async function refused(who: TestUser | undefined, path: string, given: object, status: number, body: object) {
  const before = await world.db.project.count({ where: { deletedAt: null } });
  const answer = await world.api(who).post(path, given);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(await world.db.project.count({ where: { deletedAt: null } })).toBe(before);
}

describe('POST /projects', () => {
  it('creates a project in the personal namespace, with exactly the keys of the contract', LONG, async () => {
    const { status, body } = await api.post('/projects', { name: 'My First Project!'.replace('!', '') });
    expect([status, Object.keys(body).sort()]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      name: 'My First Project',
      path: 'my-first-project',
      path_with_namespace: `${user.username}/my-first-project`,
      description: null,
      default_branch: null,
      tag_list: [],
      archived: false,
      visibility: 'private',
      owner: { id: user.id },
      creator_id: user.id,
      namespace: { name: user.username, kind: 'user', full_path: user.username },
      issues_enabled: true,
      merge_requests_enabled: true,
      wiki_enabled: true,
      jobs_enabled: true,
      snippets_enabled: true,
      container_registry_enabled: true,
      shared_runners_enabled: true,
      group_runners_enabled: true,
      ci_default_git_depth: 20,
      lfs_enabled: true,
      public_jobs: true,
      request_access_enabled: false,
      only_allow_merge_if_pipeline_succeeds: false,
      only_allow_merge_if_all_discussions_are_resolved: false,
      star_count: 0,
      forks_count: 0,
      open_issues_count: 0,
      shared_with_groups: [],
      avatar_url: null,
      runners_token: expect.stringMatching(/\S{20}/),
    });
    expect(await world.db.member.findMany({ where: { projectId: body.id } })).toMatchObject([
      { userId: user.id, accessLevel: 40 },
    ]);
    expect((await api.get(`/projects/${body.id}/events`)).body).toMatchObject([
      { action_name: 'created', author_id: user.id, target_type: null },
    ]);
  });

  it('takes everything that can be said of a project', async () => {
    const given = {
      name: 'Everything',
      path: 'All.of_it-1',
      description: 'Ünïcödé 🙂',
      default_branch: 'trunk',
      visibility: 'internal',
      issues_enabled: false,
      merge_requests_enabled: false,
      wiki_enabled: true,
      jobs_enabled: false,
      snippets_enabled: false,
      container_registry_enabled: false,
      shared_runners_enabled: false,
      group_runners_enabled: false,
      ci_default_git_depth: 0,
      lfs_enabled: true,
      request_access_enabled: true,
      only_allow_merge_if_pipeline_succeeds: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
      tag_list: ['a', 'b'],
    };
    const { status, body } = await api.post('/projects', { ...given, public_builds: false });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...given, public_jobs: false });
    const other = await api.post('/projects', { path: 'only-path', public_jobs: 'no', tag_list: ' x, y ,x' });
    expect(other.body).toMatchObject({
      name: 'only-path',
      path: 'only-path',
      public_jobs: false,
      tag_list: ['x', 'y'],
    });
  });

  it('keeps which of these a project has', async () => {
    const given = { wiki_enabled: false, container_registry_enabled: false, lfs_enabled: false };
    const { body } = await api.post('/projects', { name: 'Wishes', ...given });
    expect(body).toMatchObject(given);
    expect((await api.get(`/projects/${body.id}`)).body).toMatchObject(given);
  });

  it.each([
    ['Grüße Привет 日本 1', 'grusse-1'],
    ['🙂 smile', 'smile'],
    ['_x. y-z', '_x.-y-z'],
    ['Müller Straße', 'muller-strasse'],
    ['Ærøskøbing', 'aeroskobing'],
    ['Łódź œuvre', 'lodz-oeuvre'],
    ['Đorđe Þór Ísland', 'dorde-thor-island'],
    ['ISTANBUL İstanbul ılık', 'istanbul-istanbul-ilik'],
    ['Ｆｕｌｌ １２', 'full-12'],
    ['e\u0301te\u0301', 'ete'],
    ['Ångström 日本 2', 'angstrom-2'],
    ['ß'.repeat(200), 's'.repeat(255)],
  ])('makes a path from the name %s', async (name, path) => {
    expect(await api.post('/projects', { name })).toMatchObject({ status: 201, body: { name, path } });
  });

  const BAD_NAME =
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.";
  const BAD_PATH =
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'";
  it.each([
    [{}, { error: 'name, path are missing, at least one parameter must be provided' }],
    [{ name: 'x', issues_enabled: 'perhaps' }, { error: 'issues_enabled is invalid' }],
    [{ name: 'x', visibility: 'secret' }, { error: 'visibility does not have a valid value' }],
    [{ name: 'x', namespace_id: 'mine' }, { error: 'namespace_id is invalid' }],
    [{ name: 'a/b', path: 'ok' }, { message: { name: [BAD_NAME] } }],
    [{ name: '-x', path: 'ok' }, { message: { name: [BAD_NAME] } }],
    [{ name: ' ', path: 'ok' }, { message: { name: ["can't be blank"] } }],
    [{ name: '日本' }, { message: { path: ["can't be blank"] } }],
    [{ name: 'Привет' }, { message: { path: ["can't be blank"] } }],
    [{ name: 'x'.repeat(256), path: 'ok' }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [{ name: 'x', path: '-x' }, { message: { path: [BAD_PATH] } }],
    [{ name: 'x', path: 'a b' }, { message: { path: [BAD_PATH] } }],
    [{ name: 'x', path: 'x.git' }, { message: { path: [BAD_PATH] } }],
    [{ name: 'x', path: 'x.ATOM' }, { message: { path: [BAD_PATH] } }],
    [{ name: 'x', path: '..' }, { message: { path: [BAD_PATH] } }],
    [{ name: 'x', path: 'tree' }, { message: { path: ['tree is a reserved name'] } }],
    [
      { name: 'x', description: 'x'.repeat(2001) },
      { message: { description: ['is too long (maximum is 2000 characters)'] } },
    ],
    [{ name: 'x', default_branch: 'a..b' }, { message: { default_branch: ['is invalid'] } }],
    [{ name: 'x', namespace_id: 999_999 }, { message: { namespace: ['is not valid'] } }],
  ])('refuses %j', async (given, body) => {
    await refused(user, '/projects', given, 400, body);
  });

  it('refuses a name or path that is there, whatever its case, and takes that of a deleted project', LONG, async () => {
    const { body } = await api.post('/projects', { name: 'Taken', path: 'has_been' });
    await refused(user, '/projects', { name: 'tAKEN', path: 'free' }, 400, {
      message: { name: ['has already been taken'] },
    });
    await refused(user, '/projects', { name: 'free', path: 'HAS_BEEN' }, 400, {
      message: { path: ['has already been taken'] },
    });
    // An underscore is no wildcard.
    expect((await api.post('/projects', { name: 'free', path: 'hasXbeen' })).status).toBe(201);
    await api.delete(`/projects/${body.id}`);
    expect((await api.post('/projects', { name: 'Taken', path: 'has_been' })).status).toBe(201);
  });

  it('gives a name once, to whoever asks first', LONG, async () => {
    const given = { name: world.unique('race') };
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.post('/projects', given)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
  });

  it('puts it into a group for its masters, where nothing has the path', LONG, async () => {
    const owner = await world.user();
    const group = await world.group({ owner, visibility: 'internal' });
    const inside = await world.group({ owner, parentId: group.id, path: 'inside', visibility: 'internal' });
    const people = { master: await world.user(), developer: await world.user() };
    await world.member(group, people.master, 'master');
    await world.member(group, people.developer, 'developer');
    const { status, body } = await world.api(people.master).post('/projects', { name: 'p', namespace_id: inside.id });
    expect([status, 'owner' in body, body.namespace.full_path]).toEqual([201, false, `${group.fullPath}/inside`]);
    expect(await world.db.member.count({ where: { projectId: body.id } })).toBe(0);
    const notValid = { message: { namespace: ['is not valid'] } };
    for (const who of [people.developer, user, external]) {
      await refused(who, '/projects', { name: 'q', namespace_id: group.id }, 400, notValid);
    }
    await refused(people.master, '/projects', { name: 'inside', namespace_id: group.id }, 400, {
      message: { path: ['has already been taken'] },
    });
    await refused(people.master, '/projects', { name: 'q', namespace_id: group.id, visibility: 'public' }, 400, {
      message: { visibility_level: ['public is not allowed in a internal group.'] },
    });
    const personal = await world.db.namespace.findUniqueOrThrow({ where: { ownerId: owner.id } });
    await refused(user, '/projects', { name: 'q', namespace_id: personal.id }, 400, notValid);
    const own = await world.db.namespace.findUniqueOrThrow({ where: { ownerId: user.id } });
    expect((await api.post('/projects', { name: 'own', namespace_id: own.id })).body.owner.id).toBe(user.id);
    await world.db.namespace.update({ where: { id: group.id }, data: { deletedAt: new Date() } });
    await refused(people.master, '/projects', { name: 'q', namespace_id: group.id }, 400, notValid);
  });

  it('has the visibility of the settings, as far as the group allows it', LONG, async () => {
    await settings({ defaultProjectVisibility: 'public' });
    expect((await api.post('/projects', { name: world.unique('v') })).body.visibility).toBe('public');
    const group = await world.group({ owner: user, visibility: 'internal' });
    const { body } = await api.post('/projects', { name: 'v', namespace_id: group.id });
    expect(body.visibility).toBe('internal');
    expect((await api.post('/projects', { name: world.unique('v'), visibility: 'private' })).body.visibility).toBe(
      'private',
    );
  });

  it('has no restricted visibility, but for administrators', LONG, async () => {
    await settings({ restrictedVisibilityLevels: ['public', 'internal'], defaultProjectVisibility: 'public' });
    await refused(user, '/projects', { name: 'r', visibility: 'public' }, 400, {
      message: { visibility_level: ['public has been restricted by your administrator'] },
    });
    expect((await api.post('/projects', { name: world.unique('r') })).body.visibility).toBe('private');
    const asAdmin = await world.api(admin).post('/projects', { name: 'r', visibility: 'public' });
    expect([asAdmin.status, asAdmin.body.visibility]).toEqual([201, 'public']);
    await settings({ restrictedVisibilityLevels: ['private'], defaultProjectVisibility: 'private' });
    await refused(user, '/projects', { name: 'r2' }, 400, {
      message: { visibility_level: ['private has been restricted by your administrator'] },
    });
  });

  it('stops at the limit of personal projects, which groups do not count for', LONG, async () => {
    const limited = await world.user();
    await world.db.user.update({ where: { id: limited.id }, data: { projectsLimit: 2 } });
    const group = await world.group({ owner: limited });
    const as = world.api(limited);
    expect((await as.post('/projects', { name: 'g', namespace_id: group.id })).status).toBe(201);
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => as.post('/projects', { name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    const message = 'Your project limit is 2 projects! Please contact your administrator to increase it';
    await refused(limited, '/projects', { name: 'f' }, 403, { error: [message] });
    expect((await as.post('/projects', { name: 'h', namespace_id: group.id })).status).toBe(201);
    const made = answers.find(({ status }) => status === 201);
    await as.delete(`/projects/${made?.body.id}`);
    expect((await as.post('/projects', { name: 'f' })).status).toBe(201);
  });

  it('is not for external and anonymous callers', async () => {
    const message = 'Personal project creation is not allowed. Please contact your administrator with questions';
    await refused(external, '/projects', { name: 'x' }, 403, { error: [message] });
    await world.db.user.update({ where: { id: external.id }, data: { projectsLimit: 5 } });
    await refused(external, '/projects', { name: 'x' }, 403, { error: [message] });
    await refused(undefined, '/projects', {}, 401, { message: '401 Unauthorized' });
  });

  it('takes a path from the project that had it before', async () => {
    const first = (await api.post('/projects', { name: 'moving', path: 'old-place' })).body;
    await api.put(`/projects/${first.id}`, { path: 'new-place' });
    const old = `/projects/${encodeURIComponent(`${user.username}/old-place`)}`;
    expect((await api.get(old)).status).toBe(301);
    const second = (await api.post('/projects', { name: 'second', path: 'old-place' })).body;
    expect(await api.get(old)).toMatchObject({ status: 200, body: { id: second.id } });
  });
});

describe('POST /projects/user/:user_id', () => {
  it('creates a project for a user, with exactly the keys of the contract', async () => {
    const target = await world.user();
    const given = { name: 'For you', default_branch: 'trunk', visibility: 'internal', wiki_enabled: false };
    const { status, body } = await world.api(admin).post(`/projects/user/${target.id}`, given);
    expect([status, Object.keys(body).sort()]).toEqual([201, KEYS]);
    expect(body).toMatchObject({ ...given, path: 'for-you', creator_id: target.id, owner: { id: target.id } });
    expect(await world.db.member.findMany({ where: { projectId: body.id } })).toMatchObject([
      { userId: target.id, accessLevel: 40 },
    ]);
    expect((await world.api(target).get(`/projects/${body.id}`)).status).toBe(200);
  });

  it('keeps to the limit of that user', async () => {
    const message = 'Personal project creation is not allowed. Please contact your administrator with questions';
    await refused(admin, `/projects/user/${external.id}`, { name: 'x' }, 403, { error: [message] });
  });

  it('is for administrators, and needs a name and a user', async () => {
    const path = `/projects/user/${external.id}`;
    await refused(admin, path, { path: 'x' }, 400, { error: 'name is missing' });
    await refused(user, path, {}, 400, { error: 'name is missing' });
    await refused(user, path, { name: 'x' }, 403, { message: '403 Forbidden' });
    await refused(undefined, path, { name: 'x' }, 401, { message: '401 Unauthorized' });
    await refused(admin, '/projects/user/999999', { name: 'x' }, 404, { message: '404 User Not Found' });
    await refused(admin, '/projects/user/me', { name: 'x' }, 400, { error: 'user_id is invalid' });
  });
});

describe('Creating projects in GraphQL', () => {
  it('obeys the same rules', LONG, async () => {
    const create = (input: object, who?: TestUser) =>
      world.graphql(
        'mutation ($input: CreateProjectInput!) { createProject(input: $input) { project { path visibility tagList wikiEnabled lfsEnabled containerRegistryEnabled } } }',
        { input },
        who,
      );
    const made = await create({ name: 'By Graph', tagList: ['x'], wikiEnabled: true, visibility: 'PUBLIC' }, user);
    const off = { lfsEnabled: true, containerRegistryEnabled: true };
    const project = { path: 'by-graph', visibility: 'PUBLIC', tagList: ['x'], wikiEnabled: true, ...off };
    expect(made.body.data.createProject.project).toEqual(project);
    const refusal = async (input: object, who?: TestUser) => (await create(input, who)).body.errors[0].extensions;
    expect(await refusal({ name: 'by graph' }, user)).toMatchObject({
      fields: { 'input.name': ['has already been taken'], 'input.path': ['has already been taken'] },
    });
    expect(await refusal({}, user)).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.name': ["can't be blank"] },
    });
    expect(await refusal({ name: 'x' }, external)).toMatchObject({ code: 'LIMIT_REACHED' });
    expect(await refusal({ name: 'x' })).toMatchObject({ code: 'UNAUTHENTICATED' });
    const forUser = `mutation ($input: CreateProjectForUserInput!) { createProjectForUser(input: $input) {
      project { owner { databaseId } } } }`;
    const input = { userId: user.id, name: 'Given by graph' };
    const given: Json = (await world.graphql(forUser, { input }, admin)).body.data.createProjectForUser;
    expect(given.project.owner.databaseId).toBe(user.id);
    expect((await world.graphql(forUser, { input }, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('initialize_with_readme', () => {
  it('makes a first commit with the name and the description, by the creator', LONG, async () => {
    const user = await world.user();
    const name = world.unique('Started ');
    const given = { name, description: 'What for', initialize_with_readme: true, default_branch: 'trunk' };
    const { status, body } = await world.api(user).post('/projects', given);
    expect([status, body.default_branch, body.empty_repo]).toEqual([201, 'trunk', false]);
    const at = `/projects/${body.id}/repository`;
    const { body: text } = await world.api(user).get(`${at}/files/README.md/raw?ref=trunk`);
    expect(text).toBe(`# ${name}\n\nWhat for\n`);
    const { body: commits } = await world.api(user).get(`${at}/commits`);
    expect(commits).toMatchObject([{ title: 'Initial commit', author_email: `${user.username}@example.org` }]);
  });

  it('leaves no project behind where the commit fails', LONG, async () => {
    const user = await world.user();
    const api = world.api(user);
    const given = { name: 'Full', path: world.unique('full'), initialize_with_readme: true };
    const last = (await api.post('/projects', { name: 'Last' })).body.id;
    const { repositoryStorage } = await world.db.project.findUniqueOrThrow({ where: { id: last } });
    // A file in the place of the repository keeps git from writing, as a full disk would.
    const directory = world.repositories.directory({ id: last + 1, repositoryStorage });
    await mkdir(path.dirname(directory), { recursive: true });
    await writeFile(directory, '');
    expect((await api.post('/projects', given)).status).toBeGreaterThanOrEqual(500);
    expect((await api.get('/projects?owned=true')).body).toMatchObject([{ id: last }]);
    expect(await world.db.project.count({ where: { path: given.path, deletedAt: null } })).toBe(0);
    const again = await api.post('/projects', given);
    expect(again).toMatchObject({ status: 201, body: { path: given.path, empty_repo: false } });
  });

  it('leaves the repository empty unless it is true, and is refused beside an import', async () => {
    const user = await world.user();
    const { body } = await world.api(user).post('/projects', { name: 'Bare', initialize_with_readme: false });
    expect(body.empty_repo).toBe(true);
    const both = { name: 'Both', initialize_with_readme: true, import_url: 'https://example.org/a.git' };
    const { status, body: refused } = await world.api(user).post('/projects', both);
    expect([status, JSON.stringify(refused)]).toEqual([400, expect.stringContaining('initialize_with_readme')]);
  });
});
