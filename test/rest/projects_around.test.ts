// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { forkProject } from '#src/domain/lifecycle/fork_project.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { isMaintained } from '#src/domain/repository/lock.ts';
import { measureHeap } from '#src/git/remote/repack.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);
const idsOf = (body: Json) => (body as { id: number }[]).map(({ id }) => id);

describe('GET /users/:id/projects', () => {
  it('lists what is in the personal namespace of the user, by number and by name, as far as the caller sees it', async () => {
    const person = await world.user();
    const open = await world.project({ owner: person, visibility: 'public' });
    const hidden = await world.project({ owner: person });
    const group = await world.group({ owner: person, visibility: 'public' });
    await world.project({ owner: person, visibility: 'public', namespaceId: group.id });
    const elsewhere = await world.project({ owner, visibility: 'public' });
    await world.member(elsewhere, person, 'master');
    for (const who of [String(person.id), person.username, person.username.toUpperCase()]) {
      expect(idsOf((await api.get(`/users/${who}/projects`)).body)).toEqual([open.id]);
      expect(idsOf((await world.api(person).get(`/users/${who}/projects?order_by=id&sort=asc`)).body)).toEqual([
        open.id,
        hidden.id,
      ]);
    }
    expect(idsOf((await world.api(admin).get(`/users/${person.id}/projects?visibility=private`)).body)).toEqual([
      hidden.id,
    ]);
    expect(await api.get('/users/nobody-at-all/projects')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    });
    expect((await world.api().get(`/users/${person.id}/projects`)).status).toBe(401);
  });

  it('gives the short record on request, and otherwise the one of other lists', async () => {
    const person = await world.user();
    await world.project({ owner: person, visibility: 'public' });
    const [simple] = (await api.get(`/users/${person.id}/projects?simple=true`)).body;
    const [whole] = (await api.get(`/users/${person.id}/projects`)).body;
    expect(whole).toMatchObject({ ...simple, permissions: { project_access: null }, star_count: 0 });
    expect('permissions' in simple).toBe(false);
  });
});

describe('GET /users/:id/starred_projects', () => {
  it('lists the projects with a star of the user', async () => {
    const person = await world.user();
    const [liked, hidden] = [await world.project({ owner, visibility: 'public' }), await world.project({ owner })];
    await world.project({ owner, visibility: 'public' });
    await world.member(hidden, person, 'guest');
    for (const { id } of [liked, hidden]) await world.api(person).post(`/projects/${id}/star`);
    expect(idsOf((await api.get(`/users/${person.username}/starred_projects`)).body)).toEqual([hidden.id, liked.id]);
    expect(idsOf((await world.api(other).get(`/users/${person.id}/starred_projects`)).body)).toEqual([liked.id]);
  });
});

describe('GET /users/:id/contributed_projects', () => {
  it('lists the projects in which the user did something within a year', async () => {
    const person = await world.user();
    const make = () => world.project({ owner, visibility: 'public' });
    const [recent, old, foreign, hidden] = [await make(), await make(), await make(), await world.project({ owner })];
    const did = (projectId: number, days: number, authorId = person.id) =>
      world.db.event.create({
        data: { projectId, authorId, action: 'joined', createdAt: new Date(Date.now() - days * 86_400_000) },
      });
    await did(recent.id, 360);
    await did(recent.id, 1);
    await did(old.id, 370);
    await did(foreign.id, 1, other.id);
    await did(hidden.id, 1);
    expect(idsOf((await world.api(other).get(`/users/${person.username}/contributed_projects`)).body)).toEqual([
      recent.id,
    ]);
    expect(idsOf((await api.get(`/users/${person.id}/contributed_projects?sort=asc`)).body)).toEqual([
      recent.id,
      hidden.id,
    ]);
  });
});

describe('GET /projects/:id/forks', () => {
  it('lists the direct forks that the caller sees', LONG, async () => {
    const source = await world.project({ owner, visibility: 'public' });
    await world.project({ owner, visibility: 'public' });
    const fork = await forkProject(world.as(other), source.id, null);
    const hidden = await forkProject(world.as(admin), source.id, null);
    await world.db.project.update({ where: { id: hidden.id }, data: { visibility: 'private' } });
    const ofFork = await forkProject(world.as(await world.user()), fork.id, null);
    await world.idle();
    expect(idsOf((await api.get(`/projects/${source.id}/forks`)).body)).toEqual([fork.id]);
    expect(idsOf((await world.api(admin).get(`/projects/${source.id}/forks?order_by=id&sort=asc`)).body)).toEqual([
      fork.id,
      hidden.id,
    ]);
    expect(idsOf((await world.api(other).get(`/projects/${source.id}/forks?owned=true`)).body)).toEqual([fork.id]);
    expect(idsOf((await world.api().get(`/projects/${fork.id}/forks`)).body)).toEqual([ofFork.id]);
  });
});

describe('GET /projects/:id/starrers', () => {
  it('lists who starred the project and since when, latest first', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const elsewhere = await world.project({ owner, visibility: 'public' });
    await world.api(admin).post(`/projects/${elsewhere.id}/star`);
    for (const who of [owner, other]) await world.api(who).post(`/projects/${project.id}/star`);
    const { body } = await world.api().get(`/projects/${project.id}/starrers`);
    expect(body.map(({ user }: { user: { id: number } }) => user.id)).toEqual([other.id, owner.id]);
    expect(body[0]).toEqual({
      starred_since: expect.stringMatching(/^\d{4}-/),
      user: expect.objectContaining({ username: other.username, state: 'active' }),
    });
    const found = await api.get(`/projects/${project.id}/starrers?search=${owner.username}`);
    expect(found.body.map(({ user }: { user: { id: number } }) => user.id)).toEqual([owner.id]);
  });
});

describe('GET /projects/:id/groups', () => {
  it('lists the groups around the project, and on request those that were invited', async () => {
    const top = await world.group({ owner, name: 'A top', visibility: 'public' });
    const inner = await world.group({ owner, name: 'Inner', parentId: top.id, visibility: 'public' });
    const invited = await world.group({ owner, name: 'Invited', visibility: 'public' });
    const secret = await world.group({ owner, name: 'Secret' });
    await world.group({ owner, name: 'Unrelated', visibility: 'public' });
    const project = await world.project({ owner, namespaceId: inner.id, visibility: 'public' });
    await api.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 10 });
    await api.post(`/projects/${project.id}/share`, { group_id: secret.id, group_access: 30 });
    const names = async (query: string, who = other) =>
      (await world.api(who).get(`/projects/${project.id}/groups?${query}`)).body.map(
        ({ name }: { name: string }) => name,
      );
    expect((await api.get(`/projects/${project.id}/groups`)).body[0]).toEqual({
      id: top.id,
      web_url: expect.stringContaining(top.fullPath),
      name: 'A top',
      avatar_url: null,
      full_name: 'A top',
      full_path: top.fullPath,
    });
    expect(await names('')).toEqual(['A top', 'Inner']);
    expect(await names('with_shared=true')).toEqual(['A top', 'Inner', 'Invited']);
    expect(await names('with_shared=true', owner)).toEqual(['A top', 'Inner', 'Invited', 'Secret']);
    expect(await names('with_shared=true&shared_min_access_level=30', owner)).toEqual(['A top', 'Inner', 'Secret']);
    expect(await names(`search=inne`)).toEqual(['Inner']);
    expect(await names(`skip_groups=${top.id},${invited.id}&with_shared=true`)).toEqual(['Inner']);
  });
});

describe('PUT /projects/:id/transfer', () => {
  it('moves a project into a group of its owner, and lets the old path lead there', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const project = await world.project({ owner, visibility: 'public' });
    const { status, body } = await api.put(`/projects/${project.id}/transfer`, { namespace: group.fullPath });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: project.id,
      path_with_namespace: `${group.fullPath}/${project.path}`,
      namespace: { id: group.id },
    });
    expect((await api.get(`/projects/${encodeURIComponent(project.fullPath)}`)).status).toBe(301);
    const back = await api.put(`/projects/${project.id}/transfer`, { namespace: owner.username });
    expect(back.body).toMatchObject({ path_with_namespace: project.fullPath, owner: { id: owner.id } });
  });

  it('is for owners who may create projects in the target', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const [open, hidden] = [
      await world.group({ owner: other, visibility: 'public' }),
      await world.group({ owner: other }),
    ];
    const project = await world.project({ owner, visibility: 'public' });
    await world.member(project, other, 'master');
    const move = async (namespace: string | number, who = owner) =>
      (await world.api(who).put(`/projects/${project.id}/transfer`, { namespace })).body;
    expect(await move(open.id, other)).toMatchObject({ message: expect.stringContaining('403') });
    expect(await move(open.id)).toMatchObject({ message: expect.stringContaining('403') });
    for (const namespace of [hidden.id, other.username, 'nowhere', 0])
      expect(await move(namespace)).toEqual({ message: '404 Namespace Not Found' });
    expect((await api.put(`/projects/${project.id}/transfer`, {})).body).toEqual({ error: 'namespace is missing' });
    const same = await world.project({ owner, path: project.path, namespaceId: group.id });
    expect(await api.put(`/projects/${project.id}/transfer`, { namespace: group.id })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^Failed to transfer project .*already exists/) },
    });
    const narrow = await world.group({ owner });
    expect((await api.put(`/projects/${project.id}/transfer`, { namespace: narrow.id })).status).toBe(400);
    expect((await api.put(`/projects/${same.id}/transfer`, { namespace: group.id })).status).toBe(400);
    expect((await api.get(`/projects/${project.id}`)).body.path_with_namespace).toBe(project.fullPath);
  });

  it('counts projects that come into a personal namespace', async () => {
    const person = await world.user();
    await world.db.user.update({ where: { id: person.id }, data: { projectsLimit: 1 } });
    const group = await world.group({ owner: person });
    const make = () => world.project({ owner: person, namespaceId: group.id });
    const [first, second] = [await make(), await make()];
    const move = ({ id }: { id: number }) =>
      world.api(person).put(`/projects/${id}/transfer`, { namespace: person.username });
    expect((await move(first)).status).toBe(200);
    expect((await move(second)).status).toBeGreaterThanOrEqual(400);
    expect((await world.api(person).get(`/projects/${second.id}`)).body.namespace.id).toBe(group.id);
  });
});

describe('POST /projects/:id/housekeeping', () => {
  it('repacks the repository, however few objects it has', LONG, async () => {
    const project = await world.project({ owner });
    for (const path of ['a', 'b'])
      await createFile(world.as(owner), project.id, { path, branch: 'master', content: path, message: path });
    expect(await api.post(`/projects/${project.id}/housekeeping`)).toMatchObject({ status: 201, body: null });
    await world.idle();
    expect(await measureHeap(world.repositories.directory(project))).toEqual({ loose: 0, packs: 1 });
    expect((await api.get(`/projects/${project.id}/repository/files/a/raw?ref=master`)).status).toBe(200);
  });

  it('is refused while the repository is being maintained', async () => {
    const project = await world.project({ owner });
    await world.db.$transaction(async (tx) => {
      expect(await isMaintained(tx, project.id)).toBe(false);
      expect((await api.post(`/projects/${project.id}/housekeeping`)).status).toBe(409);
    });
    expect((await api.post(`/projects/${project.id}/housekeeping`)).status).toBe(201);
  });
});
