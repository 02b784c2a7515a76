// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { day, noMember } from '../support/members.ts';
import { type LEVELS, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const friend = await world.user();
const [high, low, deep, own] = [await world.user(), await world.user(), await world.user(), await world.user()];
const [guest, outsider] = [await world.user(), await world.user()];
const [sharedTop, sharedDeep, sharedProject] = [await world.user(), await world.user(), await world.user()];
const groups: GroupRow[] = [];
let project: ProjectRow;

/** A group that is shared with another, and a user in it. */
async function share(
  with_: GroupRow | ProjectRow,
  user: TestUser,
  level: keyof typeof LEVELS,
  most: number,
  expiresAt?: string,
) {
  const invited = await world.group({ owner: friend });
  await world.member(invited, user, level);
  const data = { groupId: invited.id, groupAccess: most, expiresAt: expiresAt ? new Date(expiresAt) : null };
  if ('issuesEnabled' in with_) await world.db.projectShare.create({ data: { ...data, projectId: with_.id } });
  else await world.db.groupShare.create({ data: { ...data, namespaceId: with_.id, groupLineage: invited.lineage } });
  return invited;
}

beforeAll(async () => {
  let parentId: number | undefined;
  for (let depth = 0; depth < 4; depth += 1) {
    const group: GroupRow = await world.group({ owner, ...(parentId ? { parentId } : {}) });
    groups.push(group);
    parentId = group.id;
  }
  const [top, second, third, fourth] = groups as [GroupRow, GroupRow, GroupRow, GroupRow];
  project = await world.project({ owner, namespaceId: fourth.id });
  await world.member(top, high, 'master');
  await world.member(fourth, high, 'guest');
  await world.member(top, low, 'guest');
  await world.member(third, low, 'developer');
  await world.member(second, deep, 'reporter');
  await world.member(fourth, guest, 'guest');
  await world.member(project, own, 'developer');
  await share(top, sharedTop, 'owner', 30, day(9));
  await share(third, sharedDeep, 'reporter', 40);
  await share(project, sharedProject, 'master', 20);
  // What counts for nobody: expired memberships and shares, requests, members of other groups.
  const expired = await world.user();
  const past = { accessLevel: 40, expiresAt: new Date(day(0)), userId: expired.id };
  await world.db.member.create({ data: { ...past, namespaceId: top.id } });
  await share(second, outsider, 'owner', 50, day(0));
  await world.db.accessRequest.create({ data: { userId: outsider.id, namespaceId: fourth.id } });
  await world.member(
    await world.group({ owner: friend, parentId: (await world.group({ owner: friend })).id }),
    outsider,
    'owner',
  );
});

const levels = (body: Json[]) => Object.fromEntries(body.map(({ id, access_level }) => [id, access_level]));
const paths = () => ({
  projects: `/projects/${project.id}/members/all`,
  groups: `/groups/${groups[3]?.id}/members/all`,
});
const inGroup = () => ({
  [owner.id]: 50,
  [high.id]: 40,
  [low.id]: 30,
  [deep.id]: 20,
  [guest.id]: 10,
  [sharedTop.id]: 30,
  [sharedDeep.id]: 20,
  [friend.id]: 40,
});

describe('GET /{projects,groups}/:id/members/all', () => {
  it('lists each user once, with the highest level, of parents and of shares with groups, too', async () => {
    const { headers, body } = await world.api(guest).get(paths().groups);
    expect(levels(body)).toEqual(inGroup());
    expect(body).toHaveLength(8);
    expect(headers['x-total']).toBe('8');
    expect(body.map(({ id }: Json) => id)).toEqual([...body.map(({ id }: Json) => id)].sort((a, b) => b - a));
    const ofProject = await world.api(guest).get(paths().projects);
    expect(levels(ofProject.body)).toEqual({ ...inGroup(), [own.id]: 30, [sharedProject.id]: 20 });
    expect(ofProject.body).toHaveLength(10);
    // Higher groups do not have the members of lower ones.
    const { body: above } = await world.api(owner).get(`/groups/${groups[1]?.id}/members/all`);
    expect(levels(above)).toEqual({
      [owner.id]: 50,
      [high.id]: 40,
      [low.id]: 10,
      [deep.id]: 20,
      [sharedTop.id]: 30,
      [friend.id]: 30,
    });
  });

  it('gives the expiry of the membership that counts, or of the share', async () => {
    const { body } = await world.api(guest).get(paths().groups);
    const expiry = Object.fromEntries(body.map(({ id, expires_at }: Json) => [id, expires_at]));
    expect([expiry[sharedTop.id], expiry[sharedDeep.id], expiry[high.id]]).toEqual([day(9), null, null]);
  });

  it('finds members by text and by IDs, and pages', async () => {
    const api = world.api(guest);
    for (const at of Object.values(paths())) {
      expect(levels((await api.get(`${at}?query=${high.username}`)).body)).toEqual({ [high.id]: 40 });
      const ids = `user_ids[]=${deep.id}&user_ids[]=${sharedDeep.id}&user_ids[]=${outsider.id}`;
      expect(levels((await api.get(`${at}?${ids}`)).body)).toEqual({ [deep.id]: 20, [sharedDeep.id]: 20 });
      const { headers, body } = await api.get(`${at}?per_page=3&page=2`);
      expect([body.length, headers['x-page']]).toEqual([3, '2']);
    }
  });

  it('gives one member, and 404 for who has no access', async () => {
    for (const at of Object.values(paths())) {
      expect(await world.api(guest).get(`${at}/${sharedTop.id}`)).toMatchObject({
        status: 200,
        body: { id: sharedTop.id, access_level: 30, expires_at: day(9) },
      });
      expect(await world.api(guest).get(`${at}/${outsider.id}`)).toMatchObject(noMember);
      expect(await world.api(outsider).get(at)).toMatchObject({ status: 404 });
      expect(await world.api().get(at)).toMatchObject({ status: 401 });
    }
  });

  it('hides the members of private groups with which something is shared from callers who are no members', async () => {
    const open = await world.group({ owner, visibility: 'public' });
    const seen = await share(open, sharedDeep, 'developer', 20);
    await world.db.namespace.update({ where: { id: seen.id }, data: { visibility: 'public' } });
    await share(open, sharedTop, 'developer', 20);
    const at = `/groups/${open.id}/members/all`;
    const all = { [owner.id]: 50, [friend.id]: 20, [sharedDeep.id]: 20 };
    expect(levels((await world.api(outsider).get(at)).body)).toEqual(all);
    expect(levels((await world.api(owner).get(at)).body)).toEqual({ ...all, [sharedTop.id]: 20 });
  });

  it('takes three statements for a group nested four deep with shares', async () => {
    for (const at of Object.values(paths())) {
      await world.api(guest).get(at);
      const statements = await world.statements(() => world.api(guest).get(at));
      expect(statements.length).toBeLessThanOrEqual(3);
    }
  });
});

describe('GET /{projects,groups}/:id/members', () => {
  it('lists only or all but some users', async () => {
    const api = world.api(guest);
    const at = `/groups/${groups[3]?.id}/members`;
    expect(levels((await api.get(`${at}?user_ids=${guest.id},${low.id}`)).body)).toEqual({ [guest.id]: 10 });
    expect(levels((await api.get(`${at}?skip_users[]=${guest.id}&skip_users[]=${owner.id}`)).body)).toEqual({
      [high.id]: 10,
    });
  });
});

describe('POST /{projects,groups}/:id/members', () => {
  it('adds several users by ID or username, and says who could not be added', async () => {
    const group = await world.group({ owner });
    const [one, two, three] = [await world.user(), await world.user(), await world.user()];
    await world.member(group, two, 'guest');
    const at = `/groups/${group.id}/members`;
    const api = world.api(owner);
    const several = await api.post(at, { user_id: `${one.id},${two.id}`, access_level: 30, expires_at: day(3) });
    expect(several).toMatchObject({ status: 201, body: { status: 'success' } });
    expect(Object.keys(several.body)).toEqual(['status']);
    const named = await api.post(at, { username: `${three.username.toUpperCase()},nobody-here`, access_level: 20 });
    expect([named.status, named.body]).toEqual([
      201,
      { status: 'error', message: { 'nobody-here': 'User not found' } },
    ]);
    const { body } = await api.get(at);
    expect(levels(body)).toEqual({ [owner.id]: 50, [one.id]: 30, [two.id]: 30, [three.id]: 20 });
    const single = await api.post(at, { username: outsider.username, access_level: 20 });
    expect(single).toMatchObject({ status: 201, body: { id: outsider.id, access_level: 20 } });
    expect(await api.post(at, { username: outsider.username, access_level: 20 })).toMatchObject({ status: 409 });
  });

  it('refuses several to those who may not add members, levels above the own, and more than 100', async () => {
    const master = await world.user();
    await world.member(project, master, 'master');
    const users = `${outsider.id},${friend.id}`;
    const count = await world.db.member.count();
    const at = `/projects/${project.id}/members`;
    expect(await world.api(guest).post(at, { user_id: users, access_level: 10 })).toMatchObject({ status: 403 });
    expect(await world.api(master).post(at, { user_id: users, access_level: 50 })).toMatchObject({ status: 400 });
    const many = Array.from({ length: 101 }, (_, index) => `name${index}`).join();
    expect(await world.api(master).post(at, { username: many, access_level: 10 })).toMatchObject({ status: 400 });
    expect(await world.db.member.count()).toBe(count);
  });

  it('takes a level below that of a membership of a group around it, which goes on counting', async () => {
    const api = world.api(owner);
    const inProject = `/projects/${project.id}/members`;
    expect(await api.post(inProject, { user_id: low.id, access_level: 20 })).toMatchObject({
      status: 201,
      body: { access_level: 20 },
    });
    expect((await api.get(`${inProject}/all/${low.id}`)).body.access_level).toBe(30);
  });
});

describe('DELETE /{projects,groups}/:id/members/:user_id', () => {
  it('also ends the memberships of subgroups and projects inside, unless told not to', async () => {
    const group = await world.group({ owner });
    const inner = await world.group({ owner, parentId: group.id });
    const elsewhere = await world.group({ owner });
    const inside = await world.project({ owner, namespaceId: inner.id });
    const user = await world.user();
    const join = async () => {
      for (const place of [group, inner, inside]) await world.member(place, user, 'developer');
    };
    await join();
    await world.member(elsewhere, user, 'developer');
    const left = () => world.db.member.count({ where: { userId: user.id } });
    const at = `/groups/${group.id}/members/${user.id}`;
    expect(await world.api(owner).delete(`${at}?skip_subresources=true`)).toMatchObject({ status: 204 });
    expect(await left()).toBe(3);
    await world.member(group, user, 'developer');
    expect(await world.api(owner).delete(at)).toMatchObject({ status: 204 });
    expect(await left()).toBe(1);
    expect(await world.api(user).get(`/projects/${inside.id}`)).toMatchObject({ status: 404 });
  });

  it('takes the user off issues and merge requests there if asked to', async () => {
    const group = await world.group({ owner });
    const inside = await world.project({ owner, namespaceId: group.id });
    const outside = await world.project({ owner });
    const user = await world.user();
    await world.member(group, user, 'developer');
    await world.member(outside, user, 'developer');
    const assigned = { assigneeIds: [user.id, owner.id] };
    const issue = await world.issue(inside, owner, assigned);
    const other = await world.issue(outside, owner, assigned);
    const api = world.api(owner);
    expect(await api.delete(`/groups/${group.id}/members/${user.id}?unassign_issuables=true`)).toMatchObject({
      status: 204,
    });
    const assignees = async (place: ProjectRow, iid: number) =>
      (await api.get(`/projects/${place.id}/issues/${iid}`)).body.assignees.map(({ id }: Json) => id);
    expect(await assignees(inside, issue.iid)).toEqual([owner.id]);
    expect((await api.get(`/projects/${inside.id}/issues/${issue.iid}`)).body.assignee.id).toBe(owner.id);
    expect(await assignees(outside, other.iid)).toEqual([user.id, owner.id]);
  });
});
