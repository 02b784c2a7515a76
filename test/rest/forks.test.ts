import { afterEach, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const forker = await world.user();
const outsider = await world.user();
const external = await world.user({ external: true });
const admin = await world.user({ admin: true });
const api = world.api(forker);
const taken = ['has already been taken'];

async function settings(data: object): Promise<void> {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ restrictedVisibilityLevels: [] }));

const source = (visibility: 'private' | 'internal' | 'public' = 'public') => world.project({ owner, visibility });
const at = (of: { id: number }) => `/projects/${of.id}`;

async function refused(who: TestUser | undefined, path: string, given: object, status: number, body: object | null) {
  const before = await world.db.project.count({ where: { deletedAt: null } });
  const answer = await world.api(who).post(path, given);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(await world.db.project.count({ where: { deletedAt: null } })).toBe(before);
}

describe('POST /projects/:id/fork', () => {
  it('copies a project into the personal namespace', LONG, async () => {
    const project = await source();
    const settings = { description: 'what for', default_branch: 'trunk', wiki_enabled: false, tag_list: ['a'] };
    await world.api(owner).put(at(project), settings);
    const original = (await world.api(owner).get(at(project))).body;
    const { status, body } = await api.post(`${at(project)}/fork`);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...settings,
      name: project.name,
      path: project.path,
      visibility: 'public',
      path_with_namespace: `${forker.username}/${project.path}`,
      owner: { id: forker.id },
      creator_id: forker.id,
      forks_count: 0,
      star_count: 0,
      open_issues_count: 0,
      runners_token: expect.any(String),
      forked_from_project: {
        id: project.id,
        name: project.name,
        path: project.path,
        name_with_namespace: original.name_with_namespace,
        path_with_namespace: project.fullPath,
        web_url: original.web_url,
        http_url_to_repo: original.http_url_to_repo,
      },
    });
    expect(Object.keys(body.forked_from_project)).toHaveLength(20);
    expect(Object.keys(body).sort()).toEqual(
      [...Object.keys(original).filter((key) => key !== 'permissions'), 'forked_from_project'].sort(),
    );
    expect((await api.get(at(project))).body.forks_count).toBe(1);
    expect((await api.get(`${at(body)}/events`)).body).toMatchObject([
      { action_name: 'created', author_id: forker.id },
    ]);
  });

  it('takes ID, full path, path or name of a namespace in which the caller may create projects', LONG, async () => {
    const group = await world.group({ owner: forker, name: 'Name of Group', visibility: 'public' });
    const inside = await world.group({ owner: forker, parentId: group.id, path: 'inner', visibility: 'public' });
    const [byId, byPath, byName, byFull] = [group.id, group.path, 'name OF group', `${group.fullPath}/INNER`];
    for (const namespace of [byId, byPath, byName, byFull, 'inner', forker.username, '']) {
      const { status, body } = await api.post(`${at(await source())}/fork`, { namespace });
      const expected = namespace === byFull || namespace === 'inner' ? inside.fullPath : group.fullPath;
      const home = namespace === forker.username || namespace === '' ? forker.username : expected;
      expect([namespace, status, body.namespace?.full_path]).toEqual([namespace, 201, home]);
    }
  });

  it('is 404 for a namespace that is missing, hidden or closed to the caller', LONG, async () => {
    const project = await source();
    const foreign = await world.group({ owner, visibility: 'public' });
    await world.member(foreign, forker, 'developer');
    const hidden = await world.group({ owner, visibility: 'private' });
    for (const namespace of ['nowhere', foreign.id, foreign.path, hidden.path, owner.username, 999_999]) {
      await refused(forker, `${at(project)}/fork`, { namespace }, 404, { message: '404 Target Namespace Not Found' });
    }
    await world.db.member.updateMany({
      where: { namespaceId: foreign.id, userId: forker.id },
      data: { accessLevel: 40 },
    });
    expect((await api.post(`${at(project)}/fork`, { namespace: foreign.path })).status).toBe(201);
  });

  it('is 409 where name or path is taken, once for all who ask at the same time', LONG, async () => {
    const project = await source();
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.post(`${at(project)}/fork`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    await refused(forker, `${at(project)}/fork`, {}, 409, { message: { name: taken, path: taken } });
    await refused(owner, `${at(project)}/fork`, {}, 409, { message: { name: taken, path: taken } });
    const fork = answers.find(({ status }) => status === 201)?.body;
    await api.put(at(fork), { name: 'Another name' });
    await refused(forker, `${at(project)}/fork`, {}, 409, { message: { path: taken } });
  });

  it('is no more visible than source, namespace and settings allow', LONG, async () => {
    const visibility = async (of: Json, given: object = {}) =>
      (await api.post(`${at(of)}/fork`, given)).body.visibility;
    expect(await visibility(await source('internal'))).toBe('internal');
    const group = await world.group({ owner: forker, visibility: 'private' });
    expect(await visibility(await source(), { namespace: group.id })).toBe('private');
    const [first, second] = [await source(), await source()];
    await settings({ restrictedVisibilityLevels: ['public'] });
    expect(await visibility(first)).toBe('internal');
    await settings({ restrictedVisibilityLevels: ['private', 'internal', 'public'] });
    await refused(forker, `${at(second)}/fork`, {}, 400, {
      message: { visibility_level: ['public has been restricted by your administrator'] },
    });
  });

  it('needs the right to read the repository, and room for another project', LONG, async () => {
    const project = await source('private');
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    await refused(guest, `${at(project)}/fork`, {}, 403, { message: '403 Forbidden' });
    await refused(outsider, `${at(project)}/fork`, {}, 404, { message: '404 Project Not Found' });
    await refused(undefined, `${at(await source())}/fork`, {}, 401, { message: '401 Unauthorized' });
    const message = 'Personal project creation is not allowed. Please contact your administrator with questions';
    await refused(external, `${at(await source())}/fork`, {}, 403, { error: [message] });
    await world.db.member.updateMany({ where: { projectId: project.id, userId: guest.id }, data: { accessLevel: 20 } });
    expect((await world.api(guest).post(`${at(project)}/fork`)).status).toBe(201);
  });

  it('names its source only to those who see it', async () => {
    const project = await source('private');
    await world.member(project, forker, 'reporter');
    const fork = (await api.post(`${at(project)}/fork`)).body;
    const friend = await world.user();
    await world.db.member.create({ data: { projectId: fork.id, userId: friend.id, accessLevel: 20 } });
    const seen = async (who: TestUser) => (await world.api(who).get(at(fork))).body;
    expect((await seen(forker)).forked_from_project.id).toBe(project.id);
    expect('forked_from_project' in (await seen(friend))).toBe(false);
    const list = (await world.api(friend).get('/projects?membership=true')).body;
    expect('forked_from_project' in list[0]).toBe(false);
  });
});

describe('The relation of a fork', () => {
  it('is set by administrators', LONG, async () => {
    const [fork, from] = [await world.project({ owner: forker }), await source()];
    const { status, body } = await world.api(admin).post(`${at(fork)}/fork/${from.id}`);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(Number),
        forked_to_project_id: fork.id,
        forked_from_project_id: from.id,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    });
    expect((await api.get(at(fork))).body.forked_from_project.id).toBe(from.id);
    expect((await api.get(at(from))).body.forks_count).toBe(1);
    const again = await world.api(admin).post(`${at(fork)}/fork/${(await source()).id}`);
    expect({ status: again.status, body: again.body }).toEqual({
      status: 409,
      body: { message: 'Project already forked' },
    });
    const other = await world.project({ owner: forker });
    const byPath = `${at(other)}/fork/${encodeURIComponent(from.fullPath)}`;
    expect((await world.api(admin).post(byPath)).body.forked_from_project_id).toBe(from.id);
  });

  it('never runs in a circle', async () => {
    const [a, b, c] = [await source(), await source(), await source()];
    const link = (fork: { id: number }, from: { id: number }) => world.api(admin).post(`${at(fork)}/fork/${from.id}`);
    expect((await link(a, a)).status).toBe(400);
    expect([(await link(b, a)).status, (await link(c, b)).status]).toEqual([201, 201]);
    expect(await link(a, c)).toMatchObject({
      status: 400,
      body: { message: { forked_from_project: [expect.any(String)] } },
    });
    expect((await world.db.project.findUniqueOrThrow({ where: { id: a.id } })).forkedFromId).toBeNull();
    const [d, e] = [await source(), await source()];
    const both = await Promise.all([link(d, e), link(e, d)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it('is refused to others, and where a project is missing', async () => {
    const [fork, from] = [await world.project({ owner: forker }), await source()];
    expect((await api.post(`${at(fork)}/fork/${from.id}`)).status).toBe(403);
    expect((await world.api(outsider).post(`${at(fork)}/fork/${from.id}`)).status).toBe(404);
    expect((await world.api().post(`${at(fork)}/fork/${from.id}`)).status).toBe(401);
    expect(await world.api(admin).post(`${at(fork)}/fork/999999`)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
    expect((await world.db.project.findUniqueOrThrow({ where: { id: fork.id } })).forkedFromId).toBeNull();
  });

  it('is ended by the owner of the fork, once', LONG, async () => {
    const project = await source();
    const fork = (await api.post(`${at(project)}/fork`)).body;
    const master = await world.user();
    await world.db.member.create({ data: { projectId: fork.id, userId: master.id, accessLevel: 40 } });
    expect((await world.api(master).delete(`${at(fork)}/fork`)).status).toBe(403);
    expect((await world.api().delete(`${at(fork)}/fork`)).status).toBe(401);
    expect(await api.delete(`${at(fork)}/fork`)).toMatchObject({ status: 204, body: null });
    expect(await api.delete(`${at(fork)}/fork`)).toMatchObject({ status: 304, body: null });
    expect('forked_from_project' in (await api.get(at(fork))).body).toBe(false);
    expect((await api.get(at(project))).body.forks_count).toBe(0);
  });
});

describe('What a fork is', () => {
  it('is said by whoever makes it: where, called what, described how, and seen by whom', LONG, async () => {
    const project = await source();
    const group = await world.group({ owner: forker });
    const given = { name: 'My own', path: 'mine', description: 'Different', visibility: 'private' };
    const { status, body } = await api.post(`${at(project)}/fork`, { namespace_id: group.id, ...given });
    expect([status, body]).toMatchObject([
      201,
      { ...given, path_with_namespace: `${group.path}/mine`, forked_from_project: { id: project.id } },
    ]);
    const again = await api.post(`${at(project)}/fork`, { namespace_path: group.path, path: 'other', name: 'Other' });
    expect(again).toMatchObject({ status: 201, body: { path_with_namespace: `${group.path}/other` } });
    expect(await api.post(`${at(project)}/fork`, { namespace_path: group.path, ...given })).toMatchObject({
      status: 409,
    });
    const hidden = await source('internal');
    const forks = () => world.db.project.count({ where: { forkedFromId: hidden.id } });
    for (const wrong of [{ visibility: 'public' }, { path: 'a/b' }, { name: '' }, { description: 'x'.repeat(2001) }]) {
      expect(await api.post(`${at(hidden)}/fork`, wrong)).toMatchObject({ status: 400 });
    }
    expect(await forks()).toBe(0);
  });
});

describe('Forks in GraphQL', () => {
  it('obey the same rules', LONG, async () => {
    const project = await source();
    const run = (mutation: string, input: object, who: TestUser) =>
      world.graphql(`mutation { ${mutation} }`.replace('INPUT', literal(input)), {}, who);
    const fork = 'forkProject(input: INPUT) { project { databaseId fullPath forkedFrom { databaseId forksCount } } }';
    const { data } = (await run(fork, { project: project.id }, forker)).body;
    expect(data.forkProject.project).toMatchObject({
      fullPath: `${forker.username}/${project.path}`,
      forkedFrom: { databaseId: project.id, forksCount: 1 },
    });
    expect((await run(fork, { project: project.id }, forker)).body.errors[0].extensions).toEqual({
      code: 'CONFLICT',
      fields: { 'input.name': taken, 'input.path': taken },
      existing: {
        type: 'Project',
        id: toGlobalId('Project', data.forkProject.project.databaseId),
        path: `${forker.username}/${project.path}`,
        url: expect.stringMatching(`/${forker.username}/${project.path}$`),
      },
    });
    const { databaseId } = data.forkProject.project;
    const unlink = 'unlinkFork(input: INPUT) { changed project { forkedFrom { databaseId } } }';
    expect((await run(unlink, { project: databaseId }, outsider)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await run(unlink, { project: databaseId }, forker)).body.data.unlinkFork.project.forkedFrom).toBeNull();
    expect((await run(unlink, { project: databaseId }, forker)).body.data.unlinkFork.changed).toBe(false);
    const link = 'linkFork(input: INPUT) { forkedFromProjectId project { forkedFrom { databaseId } } }';
    const input = { project: databaseId, forkedFrom: project.id };
    expect((await run(link, input, forker)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await run(link, input, admin)).body.data.linkFork.project.forkedFrom.databaseId).toBe(project.id);
  });
});

/** An object as GraphQL writes it. */
function literal(input: object): string {
  return JSON.stringify(input).replace(/"(\w+)":/g, '$1: ');
}
