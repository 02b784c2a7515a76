// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const user = await world.user();
const master = await world.user();
const external = await world.user({ external: true });
const admin = await world.user({ admin: true });
const api = world.api(user);
const at = (of: { id: number }) => `/projects/${of.id}`;

describe('Stars', () => {
  it('are given and taken back once, and counted', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const given = await api.post(`${at(project)}/star`);
    expect(given).toMatchObject({ status: 201, body: { id: project.id, star_count: 1 } });
    expect(['permissions' in given.body, 'runners_token' in given.body]).toEqual([false, false]);
    expect(await api.post(`${at(project)}/star`)).toMatchObject({ status: 304, body: null });
    expect((await world.api(owner).post(`${at(project)}/star`)).body.star_count).toBe(2);
    expect(await api.post(`${at(project)}/unstar`)).toMatchObject({ status: 201, body: { star_count: 1 } });
    expect(await api.post(`${at(project)}/unstar`)).toMatchObject({ status: 304, body: null });
    expect((await api.get(at(project))).body.star_count).toBe(1);
  });

  it('count right when many come at once', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const answers = await Promise.all(
      [user, user, user, master, admin].map((who) => world.api(who).post(`${at(project)}/star`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 304, 304]);
    expect((await api.get(at(project))).body.star_count).toBe(3);
  });

  it('are for signed-in users who see the project', async () => {
    const [hidden, internal] = [await world.project({ owner }), await world.project({ owner, visibility: 'internal' })];
    const open = await world.project({ owner, visibility: 'public' });
    for (const action of ['star', 'unstar']) {
      expect((await api.post(`${at(hidden)}/${action}`)).status).toBe(404);
      expect((await world.api(external).post(`${at(internal)}/${action}`)).status).toBe(404);
      expect((await world.api().post(`${at(open)}/${action}`)).status).toBe(401);
    }
    expect(await world.db.projectStar.count({ where: { projectId: { in: [hidden.id, internal.id, open.id] } } })).toBe(
      0,
    );
  });

  it('obey the same rules in GraphQL', async () => {
    const { id } = await world.project({ owner, visibility: 'public' });
    const run = (name: string, who?: TestUser) =>
      world.graphql(`mutation { ${name}(input: { project: ${id} }) { changed project { starCount } } }`, {}, who);
    expect((await run('starProject', user)).body.data.starProject.project.starCount).toBe(1);
    const again = await run('starProject', user);
    expect(again.body.data.starProject).toEqual({ changed: false, project: { starCount: 1 } });
    expect((await run('unstarProject', user)).body.data.unstarProject.project.starCount).toBe(0);
    expect((await run('unstarProject')).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('Archiving', () => {
  it('is done and undone by owners, as often as they like', async () => {
    const project = await world.project({ owner });
    const as = world.api(owner);
    for (const [action, archived] of [
      ['archive', true],
      ['archive', true],
      ['unarchive', false],
      ['unarchive', false],
    ] as const) {
      const { status, body } = await as.post(`${at(project)}/${action}`);
      expect([status, body.archived, 'permissions' in body]).toEqual([201, archived, false]);
    }
  });

  it('is refused to masters and others', async () => {
    const project = await world.project({ owner, visibility: 'internal' });
    await world.member(project, master, 'master');
    for (const action of ['archive', 'unarchive']) {
      for (const [who, status] of [
        [master, 403],
        [user, 403],
        [external, 404],
        [undefined, 401],
      ] as const) {
        expect((await world.api(who).post(`${at(project)}/${action}`)).status).toBe(status);
      }
    }
    expect((await world.api(admin).post(`${at(project)}/archive`)).body.archived).toBe(true);
  });

  it('leaves issues to be written', async () => {
    const project = await world.project({ owner });
    await world.api(owner).post(`${at(project)}/archive`);
    expect((await world.api(owner).post(`${at(project)}/issues`, { title: 'still' })).status).toBe(201);
    expect((await world.api(owner).put(at(project), { description: 'still' })).status).toBe(200);
  });

  it('obeys the same rules in GraphQL', async () => {
    const { id } = await world.project({ owner, visibility: 'public' });
    const run = (name: string, who: TestUser) =>
      world.graphql(`mutation { ${name}(input: { project: ${id} }) { project { archived } } }`, {}, who);
    expect((await run('archiveProject', user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await run('archiveProject', owner)).body.data.archiveProject.project.archived).toBe(true);
    expect((await run('unarchiveProject', owner)).body.data.unarchiveProject.project.archived).toBe(false);
  });
});
