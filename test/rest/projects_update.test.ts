import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import { removeProject } from '#src/domain/lifecycle/remove_project.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);
let project: ProjectRow;

beforeEach(async () => {
  project = await world.project({ owner });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
});

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ restrictedVisibilityLevels: [] }));

const at = (of: { id: number } = project) => `/projects/${of.id}`;
const stored = () => world.db.project.findUniqueOrThrow({ where: { id: project.id } });
const named = (path: string) => `/projects/${encodeURIComponent(`${owner.username}/${path}`)}`;

async function refused(who: TestUser | undefined, given: object, status: number, body: object) {
  const before = await stored();
  const answer = await world.api(who).put(at(), given);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(await stored()).toEqual(before);
}

describe('PUT /projects/:id', () => {
  it('changes what is given and leaves the rest', async () => {
    const before = (await api.get(at())).body;
    const given = {
      description: 'new',
      default_branch: 'trunk',
      issues_enabled: true,
      merge_requests_enabled: false,
      wiki_enabled: false,
      jobs_enabled: false,
      snippets_enabled: false,
      container_registry_enabled: false,
      shared_runners_enabled: false,
      group_runners_enabled: false,
      ci_default_git_depth: 7,
      lfs_enabled: false,
      request_access_enabled: true,
      only_allow_merge_if_pipeline_succeeds: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
      tag_list: ['one', 'two'],
    };
    const { status, body } = await world.api(master).put(at(), { ...given, public_builds: false });
    expect(status).toBe(200);
    // Without a registry there are no tags to delete.
    const { permissions: _, container_expiration_policy: _policy, ...record } = before;
    // Merge requests are off then.
    const { merge_requests: _requests, ..._links } = record._links;
    const off = Object.fromEntries(
      ['merge_requests', 'wiki', 'builds', 'snippets', 'container_registry'].map((name) => [
        `${name}_access_level`,
        'disabled',
      ]),
    );
    const followed = {
      ...{ _links, topics: given.tag_list, updated_at: expect.any(String), ...off },
      can_create_merge_request_in: false,
      description_html: expect.stringContaining('new'),
    };
    const tokens = { runners_token: before.runners_token };
    expect(body).toEqual({ ...record, ...given, ...followed, ...tokens, public_jobs: false });
    const cleared = await api.put(at(), { description: null, default_branch: '', tag_list: '', wiki_enabled: '' });
    expect(cleared.body).toMatchObject({ description: null, default_branch: null, tag_list: [], wiki_enabled: false });
    expect(cleared.body.name).toBe(before.name);
    expect((await api.put(at(), { ci_default_git_depth: null })).body.ci_default_git_depth).toBeNull();
    const deep = await api.put(at(), { ci_default_git_depth: 1001 });
    expect([deep.status, deep.body]).toEqual([400, { message: { ci_default_git_depth: ['must be from 0 to 1000'] } }]);
  });

  it('lets owners rename it and change its visibility, but not masters', async () => {
    const name = world.unique('renamed ');
    expect((await api.put(at(), { name })).body).toMatchObject({ name, path: project.path });
    expect((await api.put(at(), { visibility: 'public' })).body.visibility).toBe('public');
    expect((await world.api(admin).put(at(), { visibility: 'internal' })).body.visibility).toBe('internal');
    const forbidden = { message: '403 Forbidden' };
    await refused(master, { name: 'other' }, 403, forbidden);
    await refused(master, { visibility: 'private', description: 'x' }, 403, forbidden);
    expect((await world.api(master).put(at(), { name, visibility: 'internal', description: 'x' })).status).toBe(200);
  });

  it('redirects from the path that it had, for those who see it', async () => {
    const [old, next] = [project.path, world.unique('moved')];
    expect((await world.api(master).put(at(), { path: next })).body.path_with_namespace).toBe(
      `${owner.username}/${next}`,
    );
    const moved = await api.get(`${named(old)}/issues?state=opened`);
    expect(moved.status).toBe(301);
    expect(moved.headers.location).toBe(`${world.url}/api/v4${named(next)}/issues?state=opened`);
    expect(await world.api(outsider).get(named(old))).toMatchObject({ status: 404 });
    expect((await api.put(named(old), { description: 'x' })).status).toBe(404);
    // Back again: the first path is its own, the second one redirects.
    expect((await api.put(at(), { path: old })).status).toBe(200);
    expect([(await api.get(named(old))).status, (await api.get(named(next))).status]).toEqual([200, 301]);
    // Another case of the same path is no other path.
    expect((await api.put(at(), { path: old.toUpperCase() })).body.path).toBe(old.toUpperCase());
    expect((await api.get(named(old))).status).toBe(200);
  });

  it.each([
    [{ name: 'a/b' }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ path: '.git' }, 'path'],
    [{ path: 'blob' }, 'path'],
    [{ default_branch: '-x' }, 'default_branch'],
    [{ description: 'x'.repeat(2001) }, 'description'],
    [{ tag_list: ['x'.repeat(256)] }, 'tag_list'],
  ])('refuses %j', async (given, field) => {
    const before = await stored();
    const { status, body } = await api.put(at(), given);
    expect([status, Object.keys(body.message)]).toEqual([400, [field]]);
    expect(await stored()).toEqual(before);
  });

  it('refuses what another project in the namespace is called', async () => {
    const other = await world.project({ owner });
    const taken = ['has already been taken'];
    await refused(owner, { name: other.name.toUpperCase() }, 400, { message: { name: taken } });
    await refused(owner, { path: other.path }, 400, { message: { path: taken } });
    const third = await world.project({ owner });
    const both = await Promise.all([project, third].map(({ id }) => api.put(at({ id }), { path: 'wanted' })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('keeps visibility below that of the group, of the source of a fork and of the settings', LONG, async () => {
    const group = await world.group({ owner, visibility: 'internal' });
    const inside = await world.project({ owner, namespaceId: group.id });
    expect((await api.put(at(inside), { visibility: 'public' })).body).toEqual({
      message: { visibility_level: ['public is not allowed in a internal group.'] },
    });
    const source = await world.project({ owner: outsider, visibility: 'internal' });
    const fork = (await api.post(`/projects/${source.id}/fork`)).body;
    expect((await api.put(at(fork), { visibility: 'public' })).body).toEqual({
      message: { visibility_level: ['public is not allowed since the fork source project has lower visibility.'] },
    });
    expect((await api.put(at(fork), { visibility: 'private' })).status).toBe(200);
    await settings({ restrictedVisibilityLevels: ['public'] });
    await refused(owner, { visibility: 'public' }, 400, {
      message: { visibility_level: ['public has been restricted by your administrator'] },
    });
    expect((await world.api(admin).put(at(), { visibility: 'public' })).status).toBe(200);
    // What it is already, it may stay.
    expect((await api.put(at(), { visibility: 'public', description: 'x' })).status).toBe(200);
  });

  it('needs a parameter, and the right of a master', async () => {
    const { status, body } = await api.put(at(), {});
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^name, path, .* are missing, at least one parameter must be provided$/),
    ]);
    await refused(developer, { description: 'x' }, 403, { message: '403 Forbidden' });
    await refused(outsider, { description: 'x' }, 404, { message: '404 Project Not Found' });
    await refused(undefined, { description: 'x' }, 401, { message: '401 Unauthorized' });
    await refused(owner, { visibility: 'secret' }, 400, { error: 'visibility does not have a valid value' });
  });

  it('takes lists of issues away with the switch, and gives them back', async () => {
    await world.issue(project, owner);
    await api.put(at(), { issues_enabled: false });
    expect((await api.get(`${at()}/issues`)).body).toEqual([]);
    expect('open_issues_count' in (await api.get(at())).body).toBe(false);
    expect((await api.post(`${at()}/issues`, { title: 'x' })).status).toBe(403);
    await api.put(at(), { issues_enabled: true });
    expect((await api.get(`${at()}/issues`)).body).toHaveLength(1);
  });
});

describe('DELETE /projects/:id', () => {
  it('answers 202, hides the project at once and removes it with everything in it', LONG, async () => {
    const issue = await world.issue(project, owner);
    await world.db.note.create({ data: { subjectType: 'Issue', subjectId: issue.id, authorId: owner.id, body: 'x' } });
    await api.post(`${at()}/issues/${issue.iid}/unsubscribe`);
    await world.api(master).post(`${at()}/star`);
    await api.put(at(), { path: `${project.path}-2` });
    const answer = await api.delete(at());
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 202, body: { message: '202 Accepted' } });
    for (const who of [owner, master, admin]) expect((await world.api(who).get(at())).status).toBe(404);
    expect(
      (await world.api(owner).get('/projects?owned=true&per_page=100')).body.map(({ id }: { id: number }) => id),
    ).not.toContain(project.id);
    expect((await api.get(named(project.path))).status).toBe(404);
    expect((await api.delete(at())).status).toBe(404);
    await world.until(async () => (await world.db.project.count({ where: { id: project.id } })) === 0);
    expect(await world.db.note.count({ where: { subjectType: 'Issue', subjectId: issue.id } })).toBe(0);
    expect(await world.db.subscription.count({ where: { subjectType: 'Issue', subjectId: issue.id } })).toBe(0);
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
    expect(await world.db.event.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('removes nothing but what is marked as deleted, and a second time nothing more', async () => {
    await removeProject(world, project.id);
    expect((await api.get(at())).status).toBe(200);
    await world.db.project.update({ where: { id: project.id }, data: { deletedAt: new Date() } });
    await removeProject(world, project.id);
    await removeProject(world, project.id);
    expect(await world.db.project.count({ where: { id: project.id } })).toBe(0);
  });

  it('frees name and path for the next project at once', LONG, async () => {
    await api.delete(at());
    const again = await api.post('/projects', { name: project.name, path: project.path });
    expect(again.status).toBe(201);
    expect((await api.get(named(project.path))).body.id).toBe(again.body.id);
  });

  it('makes its forks projects of their own', LONG, async () => {
    const source = await world.project({ owner, visibility: 'public' });
    const fork = (await world.api(outsider).post(`/projects/${source.id}/fork`)).body;
    await api.delete(at(source));
    expect('forked_from_project' in (await world.api(outsider).get(at(fork))).body).toBe(false);
    expect((await world.api(outsider).delete(`${at(fork)}/fork`)).status).toBe(304);
  });

  it('happens once, however many ask', async () => {
    const answers = await Promise.all([api.delete(at()), api.delete(at()), api.delete(at())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 404, 404]);
  });

  it('is for owners and administrators', async () => {
    for (const [who, status] of [
      [master, 403],
      [developer, 403],
      [outsider, 404],
      [undefined, 401],
    ] as const) {
      expect((await world.api(who).delete(at())).status).toBe(status);
    }
    expect((await stored()).deletedAt).toBeNull();
    expect((await world.api(admin).delete(at())).status).toBe(202);
  });
});

describe('Changing and deleting projects in GraphQL', () => {
  it('obeys the same rules', async () => {
    const update =
      'mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { project { name description } } }';
    const input = { project: project.id, name: 'By graph', description: null };
    const { data } = (await world.graphql(update, { input }, owner)).body;
    expect(data.updateProject.project).toEqual({ name: 'By graph', description: null });
    const code = async (query: string, variables: object, who?: TestUser) =>
      (await world.graphql(query, { input: variables }, who)).body.errors[0].extensions.code;
    expect(await code(update, { ...input, name: 'Other' }, master)).toBe('FORBIDDEN');
    expect(await code(update, input, outsider)).toBe('NOT_FOUND');
    expect(await code(update, { ...input, name: '/' }, owner)).toBe('VALIDATION_FAILED');
    const remove =
      'mutation ($input: DeleteProjectInput!) { deleteProject(input: $input) { deletedProjectId fullPath } }';
    expect(await code(remove, { project: project.id }, master)).toBe('FORBIDDEN');
    expect((await world.graphql(remove, { input: { project: project.fullPath } }, owner)).body.data).toEqual({
      deleteProject: { deletedProjectId: toGlobalId('Project', project.id), fullPath: project.fullPath },
    });
    expect((await api.get(at())).status).toBe(404);
  });
});

describe('The default branch', () => {
  it('is one of the branches of the repository, and what HEAD of a clone is', LONG, async () => {
    const at = `/projects/${project.id}`;
    expect(await api.put(at, { default_branch: 'later' })).toMatchObject({
      status: 200,
      body: { default_branch: 'later' },
    });
    const file = { content: 'x', commit_message: 'first' };
    await api.post(`${at}/repository/files/a.txt`, { ...file, branch: 'later' });
    await api.post(`${at}/repository/branches`, { branch: 'topic', ref: 'later' });
    await api.post(`${at}/repository/files/b.txt`, { ...file, branch: 'topic' });
    expect(await api.put(at, { default_branch: 'missing' })).toMatchObject({
      status: 400,
      body: { message: { default_branch: ['is not a branch of the repository'] } },
    });
    expect(await api.put(at, { default_branch: 'topic' })).toMatchObject({ body: { default_branch: 'topic' } });
    expect((await api.get(`${at}/repository/commits`)).headers['x-total']).toBe('2');
    expect((await api.get(`${at}?statistics=true`)).body.statistics.commit_count).toBe(2);
    const reader = await world.repositories.open(project);
    expect(await reader?.defaultBranch()).toBe('topic');
  });
});
