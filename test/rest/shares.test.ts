// One part in depth, which the long run has.
// @module-tag long
import { beforeEach, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const friend = await world.user();
const api = world.api(master);
let project: ProjectRow;
let group: GroupRow;

beforeEach(async () => {
  project = await world.project({ owner });
  group = await world.group({ owner: friend, visibility: 'public' });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
});

const at = () => `/projects/${project.id}/share`;
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

async function refused(who: TestUser | undefined, given: object, status: number, body: object) {
  const before = await world.db.projectShare.count();
  const answer = await world.api(who).post(at(), given);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(await world.db.projectShare.count()).toBe(before);
}

describe('POST /projects/:id/share', () => {
  it('gives the members of a group access, to the level and the day given', async () => {
    const given = { group_id: group.id, group_access: 20, expires_at: day(2) };
    const { status, body } = await api.post(at(), given);
    expect({ status, body }).toEqual({
      status: 201,
      body: { id: expect.any(Number), project_id: project.id, ...given },
    });
    expect(Object.keys(body)).toEqual(['id', 'project_id', 'group_id', 'group_access', 'expires_at']);
    expect((await world.api(friend).get(`/projects/${project.id}`)).status).toBe(200);
    expect((await world.api(friend).post(`/projects/${project.id}/labels`, { name: 'x', color: 'red' })).status).toBe(
      201,
    );
    expect((await world.api(friend).post(`/projects/${project.id}/milestones`, { title: 'x' })).status).toBe(403);
    expect((await api.get(`/projects/${project.id}`)).body.shared_with_groups).toEqual([
      {
        group_id: group.id,
        group_name: group.name,
        group_full_path: group.fullPath,
        group_access_level: 20,
        expires_at: expect.any(String),
      },
    ]);
  });

  it('gives nothing from the day of its expiry on, and can then be given again', async () => {
    expect((await api.post(at(), { group_id: group.id, group_access: 20, expires_at: day(0) })).status).toBe(201);
    expect((await world.api(friend).get(`/projects/${project.id}`)).status).toBe(404);
    expect((await api.get(`/projects/${project.id}`)).body.shared_with_groups).toEqual([]);
    expect((await api.post(at(), { group_id: group.id, group_access: 30 })).body).toMatchObject({
      group_access: 30,
      expires_at: null,
    });
    expect((await world.api(friend).get(`/projects/${project.id}`)).status).toBe(200);
  });

  it.each([
    [{}, 'group_id is missing, group_access is missing'],
    [{ group_id: 'x', group_access: 20 }, 'group_id is invalid'],
    [{ group_id: 1 }, 'group_access is missing'],
    [{ group_id: 1, group_access: 25 }, 'group_access does not have a valid value'],
    [{ group_id: 1, group_access: 50 }, 'group_access does not have a valid value'],
    [{ group_id: 1, group_access: 'master' }, 'group_access is invalid'],
    [{ group_id: 1, group_access: 20, expires_at: '31.12.2030' }, 'expires_at is invalid'],
  ])('refuses %j', async (given, error) => {
    await refused(master, given, 400, { error });
  });

  it('is 404 for a group that is missing or hidden, and 409 where it is shared already', async () => {
    const hidden = await world.group({ owner: friend, visibility: 'private' });
    const notFound = { message: '404 Group Not Found' };
    for (const id of [
      hidden.id,
      999_999,
      (await world.db.namespace.findUniqueOrThrow({ where: { ownerId: friend.id } })).id,
    ]) {
      await refused(master, { group_id: id, group_access: 20 }, 404, notFound);
    }
    const given = { group_id: group.id, group_access: 20 };
    const answers = await Promise.all([api.post(at(), given), api.post(at(), given), api.post(at(), given)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await refused(master, given, 409, { message: 'Group already shared with this group' });
    const inside = await world.project({ owner: friend, namespaceId: group.id });
    expect((await world.api(friend).post(`/projects/${inside.id}/share`, given)).status).toBe(409);
  });

  it('is for masters', async () => {
    const given = { group_id: group.id, group_access: 20 };
    await refused(developer, given, 403, { message: '403 Forbidden' });
    await refused(friend, given, 404, { message: '404 Project Not Found' });
    await refused(undefined, given, 401, { message: '401 Unauthorized' });
  });
});

describe('DELETE /projects/:id/share/:group_id', () => {
  it('takes the access away again, once', async () => {
    await api.post(at(), { group_id: group.id, group_access: 20 });
    expect((await world.api(developer).delete(`${at()}/${group.id}`)).status).toBe(403);
    expect((await world.api().delete(`${at()}/${group.id}`)).status).toBe(401);
    expect((await world.api(friend).get(`/projects/${project.id}`)).status).toBe(200);
    expect(await api.delete(`${at()}/${group.id}`)).toMatchObject({ status: 204, body: null });
    expect((await world.api(friend).get(`/projects/${project.id}`)).status).toBe(404);
    expect(await api.delete(`${at()}/${group.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Group Link Not Found' },
    });
    expect(await api.delete(`${at()}/x`)).toMatchObject({ status: 400, body: { error: 'group_id is invalid' } });
  });
});

describe('Shares in GraphQL', () => {
  it('obey the same rules', async () => {
    const share =
      'mutation ($input: ShareProjectInput!) { shareProject(input: $input) { share { groupId groupAccessLevel expiresAt } } }';
    const input = { project: project.id, group: group.fullPath, accessLevel: 'DEVELOPER', expiresAt: day(3) };
    const extensions = async (query: string, given: object, who: TestUser) =>
      (await world.graphql(query, { input: given }, who)).body.errors[0].extensions;
    expect(await extensions(share, input, developer)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await extensions(share, { ...input, accessLevel: 'OWNER' }, master)).toMatchObject({
      fields: { 'input.accessLevel': ['is not included in the list'] },
    });
    expect((await world.graphql(share, { input }, master)).body.data.shareProject.share).toEqual({
      groupId: group.id,
      groupAccessLevel: 'DEVELOPER',
      expiresAt: day(3),
    });
    expect(await extensions(share, input, master)).toMatchObject({ code: 'CONFLICT' });
    const unshare = 'mutation ($input: UnshareProjectInput!) { unshareProject(input: $input) { unsharedGroupId } }';
    const given = { project: project.id, groupId: group.id };
    expect((await world.graphql(unshare, { input: given }, master)).body.data.unshareProject.unsharedGroupId).toBe(
      toGlobalId('Group', group.id),
    );
    expect(await extensions(unshare, given, master)).toMatchObject({ code: 'NOT_FOUND' });
  });
});
