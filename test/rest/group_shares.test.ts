// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { day } from '../support/members.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const friend = await world.user();
const inherited = await world.user();
const reporter = await world.user();
const guest = await world.user();
const expired = await world.user();
const passedOn = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
/** The receiver with its subgroup, and the groups around the invited one. */
let group: GroupRow;
let inner: GroupRow;
let parent: GroupRow;
let invited: GroupRow;
let project: ProjectRow;
let deep: ProjectRow;

const as = (who?: TestUser) => world.api(who);
const share = (most: number, expiresAt?: string) =>
  as(owner).post(`/groups/${group.id}/share`, { group_id: invited.id, group_access: most, expires_at: expiresAt });
const unshare = () => as(owner).delete(`/groups/${group.id}/share/${invited.id}`);
const ids = (list: Json[]) => list.map(({ id }) => id).sort((a, b) => a - b);

beforeAll(async () => {
  group = await world.group({ owner });
  inner = await world.group({ owner, parentId: group.id });
  project = await world.project({ owner, namespaceId: group.id });
  deep = await world.project({ owner, namespaceId: inner.id });
  // Of the same owner, but not in the group.
  await world.project({ owner, namespaceId: (await world.group({ owner })).id });
  parent = await world.group({ owner: friend });
  invited = await world.group({ owner: friend, parentId: parent.id });
  await world.db.namespace.updateMany({
    where: { id: { in: [parent.id, invited.id] } },
    data: { visibility: 'internal' },
  });
  await world.member(parent, inherited, 'master');
  await world.member(invited, reporter, 'reporter');
  await world.member(invited, guest, 'guest');
  const past = { userId: expired.id, accessLevel: 40, expiresAt: new Date(day(0)) };
  await world.db.member.create({ data: { ...past, namespaceId: invited.id } });
  // A group with which the invited one is shared: shares are not passed on.
  const third = await world.group({ owner: passedOn });
  await world.db.groupShare.create({
    data: { namespaceId: invited.id, groupId: third.id, groupLineage: third.lineage, groupAccess: 50 },
  });
});

/** What a user may do with a project, from reading it up to changing it, as a level. */
async function levelIn({ id }: ProjectRow, user: TestUser): Promise<number> {
  const api = as(user);
  const read = await api.get(`/projects/${id}`);
  if (read.status === 404) return 0;
  const tried: [number, () => Promise<{ status: number }>][] = [
    [40, () => api.post(`/projects/${id}/milestones`, { title: world.unique('milestone') })],
    [20, () => api.post(`/projects/${id}/labels`, { name: world.unique('label'), color: 'red' })],
    [10, () => api.get(`/projects/${id}/issues`)],
  ];
  for (const [level, attempt] of tried) if ((await attempt()).status < 300) return level;
  return 1;
}

/** Everywhere that lists what a user has access to. */
async function reach(user: TestUser) {
  const api = as(user);
  const of = async (path: string) => ids((await api.get(path)).body);
  return {
    projects: await of('/projects?membership=true'),
    visible: await of('/projects?visibility=private'),
    groups: await of('/groups'),
    namespaces: await of('/namespaces'),
    issues: ids((await api.get('/issues?scope=all')).body),
    inGroup: (await api.get(`/groups/${group.id}`)).status,
    inSubgroup: (await api.get(`/groups/${inner.id}/projects`)).status,
    users: (await api.get(`/projects/${deep.id}/users`)).status,
    search: ids((await api.get(`/search?scope=projects&search=${deep.path}`)).body),
    graphql: (await world.graphql(`{ project(ref: "${deep.id}") { viewerAccessLevel } }`, {}, user)).body.data.project,
  };
}

describe('a group that is shared with another one', () => {
  it('gives its members what the share allows and no more, in the group and all that is in it', async () => {
    const issue = await world.issue(deep, owner);
    const none = { inGroup: 404, inSubgroup: 404, users: 404, search: [], graphql: null, visible: [], issues: [] };
    for (const user of [friend, inherited, reporter, guest, expired, passedOn, outsider]) {
      expect(await reach(user)).toMatchObject(none);
    }
    for (const [most, levels] of [
      [10, [10, 10, 10, 10]],
      [20, [20, 20, 20, 10]],
      [40, [40, 40, 20, 10]],
      [50, [40, 40, 20, 10]],
    ] as const) {
      expect(await share(most)).toMatchObject({ status: 201 });
      const found: number[] = [];
      for (const user of [friend, inherited, reporter, guest]) found.push(await levelIn(deep, user));
      expect([most, found]).toEqual([most, [...levels]]);
      for (const user of [expired, passedOn, outsider]) expect(await levelIn(deep, user)).toBe(0);
      expect(await unshare()).toMatchObject({ status: 204 });
    }
    await share(30);
    for (const user of [friend, inherited, reporter, guest]) {
      expect(await reach(user)).toMatchObject({
        projects: [project.id, deep.id],
        visible: [project.id, deep.id],
        groups: expect.arrayContaining([group.id, inner.id]),
        namespaces: expect.arrayContaining([group.id, inner.id]),
        issues: [issue.id],
        inGroup: 200,
        inSubgroup: 200,
        users: 200,
        search: [deep.id],
        graphql: { viewerAccessLevel: expect.any(String) },
      });
    }
    for (const user of [expired, passedOn, outsider]) expect(await reach(user)).toMatchObject(none);
    await unshare();
    for (const user of [friend, inherited, reporter, guest]) expect(await reach(user)).toMatchObject(none);
  });

  it('gives nothing from the day of expiry on, nor after the member left', async () => {
    await share(30, day(0));
    expect(await levelIn(project, reporter)).toBe(0);
    expect(await share(30, day(1))).toMatchObject({ status: 201 });
    expect(await levelIn(project, reporter)).toBe(20);
    await world.db.member.deleteMany({ where: { userId: reporter.id, namespaceId: invited.id } });
    expect(await levelIn(project, reporter)).toBe(0);
    await world.member(invited, reporter, 'reporter');
    await unshare();
  });

  it('makes members of the other group owners only if it says so', async () => {
    const rename = (who: TestUser) => as(who).put(`/groups/${group.id}`, { description: 'Ours' });
    await share(40);
    expect(await rename(friend)).toMatchObject({ status: 403 });
    await unshare();
    await share(50);
    expect(await rename(friend)).toMatchObject({ status: 200 });
    expect(await rename(inherited)).toMatchObject({ status: 403 });
    await unshare();
  });

  it('gives no access to the members of a subgroup of the invited group', async () => {
    const below = await world.group({ owner: friend, parentId: invited.id });
    const user = await world.user();
    await world.member(below, user, 'owner');
    await share(30);
    expect(await levelIn(project, user)).toBe(0);
    await unshare();
  });

  it('lets people be assigned, and mentioned, as members are', async () => {
    await share(20);
    const issue = await world.issue(deep, owner);
    const assigned = await as(owner).put(`/projects/${deep.id}/issues/${issue.iid}`, { assignee_ids: [reporter.id] });
    expect(assigned.body.assignee?.id).toBe(reporter.id);
    expect(ids((await as(owner).get(`/projects/${deep.id}/users`)).body)).toContain(reporter.id);
    await as(owner).post(`/projects/${deep.id}/issues/${issue.iid}/notes`, { body: `@${guest.username} look` });
    expect((await as(guest).get('/todos')).body.map(({ target }: Json) => target.id)).toEqual([issue.id]);
    await unshare();
  });

  it('lets no deploy token of the invited group in', async () => {
    const { body } = await as(friend).post(`/groups/${parent.id}/deploy_tokens`, {
      name: 'robot',
      scopes: ['read_package_registry'],
    });
    await share(30);
    const at = `/api/v4/projects/${project.id}/packages/generic/a/1/a.txt`;
    const { status } = await world.send('GET', at, { headers: { 'Deploy-Token': body.token } });
    expect(status).toBe(404);
    await unshare();
  });
});

describe('POST /groups/:id/share', () => {
  it('answers with the group and its shares, which those see who see the other group', async () => {
    const { status, body } = await share(20, day(5));
    expect(status).toBe(201);
    const row = { group_id: invited.id, group_name: invited.name, group_full_path: invited.fullPath };
    expect(body).toMatchObject({
      id: group.id,
      shared_with_groups: [{ ...row, group_access_level: 20, expires_at: day(5) }],
    });
    await world.db.namespace.update({ where: { id: invited.id }, data: { visibility: 'private' } });
    expect((await as(owner).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([]);
    expect((await as(friend).get(`/groups/${group.id}`)).body.shared_with_groups).toHaveLength(1);
    await world.db.namespace.update({ where: { id: invited.id }, data: { visibility: 'internal' } });
    await unshare();
  });

  it('refuses what is shared already, the group itself, other levels, and groups that the caller does not see', async () => {
    const hidden = await world.group({ owner: friend });
    const count = () => world.db.groupShare.count({ where: { namespaceId: group.id } });
    const post = (who: TestUser, given: object) => as(who).post(`/groups/${group.id}/share`, given);
    const good = { group_id: invited.id, group_access: 20 };
    await share(20);
    expect(await post(owner, good)).toMatchObject({ status: 409 });
    expect(await post(owner, { ...good, group_id: group.id })).toMatchObject({ status: 409 });
    expect(await post(owner, { ...good, group_access: 25 })).toMatchObject({ status: 400 });
    expect(await post(owner, { group_access: 20 })).toMatchObject({ status: 400 });
    expect(await post(owner, { ...good, group_id: hidden.id })).toMatchObject({ status: 404 });
    expect(await post(reporter, good)).toMatchObject({ status: 404 });
    expect(await post(outsider, good)).toMatchObject({ status: 404 });
    expect(await count()).toBe(1);
    expect(await as(reporter).delete(`/groups/${group.id}/share/${invited.id}`)).toMatchObject({ status: 403 });
    expect(await count()).toBe(1);
    await unshare();
    expect(await unshare()).toMatchObject({ status: 404, body: { message: '404 Group Link Not Found' } });
    expect(await post(admin, good)).toMatchObject({ status: 201 });
    await unshare();
  });
});

describe('GET /groups/:id/groups/shared', () => {
  it('lists the groups to which the members of a group have access by a share, with filters', async () => {
    await share(20);
    const open = await world.group({ owner, visibility: 'public', name: 'Open source' });
    await as(owner).post(`/groups/${open.id}/share`, { group_id: invited.id, group_access: 10 });
    const ended = await world.group({ owner, visibility: 'public' });
    await as(owner).post(`/groups/${ended.id}/share`, { group_id: invited.id, group_access: 10, expires_at: day(0) });
    const at = `/groups/${invited.id}/groups/shared`;
    const listed = async (who: TestUser, query = '') => ids((await as(who).get(`${at}?${query}`)).body);
    expect(await listed(friend)).toEqual([group.id, open.id]);
    expect(await listed(outsider)).toEqual([open.id]);
    expect(await listed(friend, 'visibility=public')).toEqual([open.id]);
    expect(await listed(friend, 'search=source')).toEqual([open.id]);
    expect(await listed(friend, `skip_groups[]=${open.id}`)).toEqual([group.id]);
    expect(await listed(friend, 'min_access_level=20')).toEqual([group.id]);
    expect(await as().get(at)).toMatchObject({ status: 401 });
    await unshare();
  });
});
