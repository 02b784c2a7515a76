// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { day, forbidden, noMember, startMemberWorld } from '../support/members.ts';
import { LEVELS, type TestUser } from '../support/world.ts';

const { world, owner, admin, master, developer, outsider, place } = await startMemberWorld();

describe('The last owner of a group', () => {
  it('neither leaves nor is removed, demoted or given a last day', async () => {
    const { at, levels } = await place('groups');
    const before = await levels();
    for (const user of [owner, admin]) {
      expect(await world.api(user).delete(`${at}/${owner.id}`)).toMatchObject(forbidden);
      expect(await world.api(user).put(`${at}/${owner.id}`, { access_level: 40 })).toMatchObject(forbidden);
      const limited = { access_level: 50, expires_at: day(2) };
      expect(await world.api(user).put(`${at}/${owner.id}`, limited)).toMatchObject(forbidden);
    }
    expect(await levels()).toEqual(before);
    expect(await world.api(owner).put(`${at}/${owner.id}`, { access_level: 50 })).toMatchObject({ status: 200 });
    await world.api(owner).put(`${at}/${master.id}`, { access_level: 50 });
    expect(await world.api(owner).delete(`${at}/${owner.id}`)).toMatchObject({ status: 204 });
  });

  it('is kept by a group whose owners all leave at the same time', async () => {
    const { at, where } = await place('groups');
    const owners = [owner];
    for (let n = 0; n < 3; n += 1) {
      const user = await world.user();
      await world.api(owner).post(at, { user_id: user.id, access_level: 50 });
      owners.push(user);
    }
    const leave = owners.map((user) => world.api(user).delete(`${at}/${user.id}`));
    expect((await Promise.all(leave)).map(({ status }) => status).sort()).toEqual([204, 204, 204, 403]);
    expect(await world.db.member.count({ where: { ...where, accessLevel: 50 } })).toBe(1);
  });

  it('does not count owners whose membership has expired', async () => {
    const { at, where } = await place('groups');
    const data = { ...where, userId: outsider.id, accessLevel: 50, expiresAt: new Date(day(0)) };
    await world.db.member.create({ data });
    expect(await world.api(owner).delete(`${at}/${owner.id}`)).toMatchObject(forbidden);
  });
});

describe('The owner of a personal project', () => {
  it('cannot leave it or be removed', async () => {
    const { at, levels } = await place('projects');
    const before = await levels();
    for (const user of [owner, master, admin]) {
      expect(await world.api(user).delete(`${at}/${owner.id}`)).toMatchObject(forbidden);
    }
    expect(await levels()).toEqual(before);
  });
});

describe('A membership of a group', () => {
  it('counts in the groups and projects inside, and is not listed there', LONG, async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const project = await world.project({ owner, namespaceId: inside.id });
    const user = await world.user();
    const at = `/projects/${project.id}`;
    expect(await world.api(user).get(at)).toMatchObject({ status: 404 });
    await world.api(owner).post(`/groups/${group.id}/members`, { user_id: user.id, access_level: 40 });
    expect(await world.api(user).get(at)).toMatchObject({
      status: 200,
      body: { permissions: { project_access: null, group_access: { access_level: 40 } } },
    });
    expect(await world.api(user).get(`${at}/members/${user.id}`)).toMatchObject(noMember);
    expect(await world.api(user).get(`/groups/${inside.id}/members/${user.id}`)).toMatchObject(noMember);
    const guest = { user_id: outsider.id, access_level: 10 };
    expect(await world.api(user).post(`${at}/members`, guest)).toMatchObject({ status: 201 });
    // A lower level inside takes nothing away.
    await world.api(owner).post(`${at}/members`, { user_id: user.id, access_level: 10 });
    expect(await world.api(user).delete(`${at}/members/${outsider.id}`)).toMatchObject({ status: 204 });
    await world.api(owner).delete(`/groups/${group.id}/members/${user.id}?skip_subresources=true`);
    expect(await world.api(user).post(`${at}/members`, guest)).toMatchObject(forbidden);
  });

  it('counts in projects that are shared with the group, up to the level of the share', async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const project = await world.project({ owner });
    const user = await world.user();
    await world.member(group, user, 'master');
    const share = { projectId: project.id, groupId: inside.id, groupAccess: LEVELS.developer };
    await world.db.projectShare.create({ data: share });
    const add = { user_id: outsider.id, access_level: 10 };
    expect(await world.api(user).post(`/projects/${project.id}/members`, add)).toMatchObject(forbidden);
    await world.db.projectShare.updateMany({ where: { projectId: project.id }, data: { groupAccess: LEVELS.master } });
    expect(await world.api(user).post(`/projects/${project.id}/members`, add)).toMatchObject({ status: 201 });
    await world.db.projectShare.updateMany({ where: { projectId: project.id }, data: { expiresAt: new Date(day(0)) } });
    expect(await world.api(user).get(`/projects/${project.id}/members`)).toMatchObject({ status: 404 });
  });
});

describe('An expired membership', () => {
  it('gives nothing, from its very day on, wherever it counted', LONG, async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const project = await world.project({ owner, namespaceId: inside.id });
    const shared = await world.project({ owner });
    await world.db.projectShare.create({
      data: { projectId: shared.id, groupId: inside.id, groupAccess: LEVELS.master },
    });
    const user = await world.user();
    const add = { user_id: user.id, access_level: 40, expires_at: day(1) };
    await world.api(owner).post(`/groups/${group.id}/members`, add);
    const places = [`/groups/${group.id}`, `/groups/${inside.id}`, `/projects/${project.id}`, `/projects/${shared.id}`];
    const statuses = async () => Promise.all(places.map(async (path) => (await world.api(user).get(path)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const put = { access_level: 40, expires_at: day(0) };
    expect(await world.api(owner).put(`/groups/${group.id}/members/${user.id}`, put)).toMatchObject({
      status: 200,
      body: { expires_at: day(0) },
    });
    expect(await statuses()).toEqual([404, 404, 404, 404]);
    expect(await world.api(user).get('/groups')).toMatchObject({ status: 200, body: [] });
    expect(await world.api(user).get('/namespaces')).toMatchObject({ body: [{ path: user.username }] });
  });
});

describe('Memberships', () => {
  it('are told in the feed of a project', async () => {
    const { at, id } = await place('projects');
    const user = await world.user();
    await world.api(master).post(at, { user_id: user.id, access_level: 30 });
    await world.api(user).delete(`${at}/${user.id}`);
    const events = await world.db.event.findMany({
      where: { projectId: id, authorId: user.id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ action }) => action)).toEqual(['joined', 'left']);
    const group = await place('groups');
    const before = await world.db.event.count();
    await world.api(owner).post(group.at, { user_id: user.id, access_level: 30 });
    expect(await world.db.event.count()).toBe(before);
  });

  it('are removed by a job when they have expired', async () => {
    const { where, source } = await place('projects');
    const user = await world.user();
    const mine = { ...where, userId: user.id };
    await world.db.member.create({ data: { ...mine, accessLevel: 30, expiresAt: new Date(day(0)) } });
    const tomorrow = new Date(day(1));
    await world.db.member.updateMany({ where: { ...where, userId: master.id }, data: { expiresAt: tomorrow } });
    await world.db.$transaction((tx) => world.as(owner).jobs.enqueue(tx, 'members.expire', {}));
    await world.until(async () => (await world.db.member.count({ where: mine })) === 0);
    expect(await world.db.member.count({ where: { ...where, userId: master.id } })).toBe(1);
    expect(await world.db.event.findMany({ where: { projectId: source.id, authorId: user.id } })).toMatchObject([
      { action: 'removed due to membership expiration from' },
    ]);
  });
});

describe('Members in GraphQL', () => {
  const kinds: [string, 'projects' | 'groups', TestUser][] = [
    ['Project', 'projects', master],
    ['Group', 'groups', owner],
  ];
  itEveryNth(2, kinds)('of a %s are read and changed by the rules of REST', async (kind, plural, who) => {
    const { id } = await place(plural);
    const field = kind.toLowerCase();
    const user = await world.user();
    const input = { [field]: id, userId: user.id };
    const run = (name: string, given: object, selection: string, as: TestUser) => {
      const query = `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${selection} } }`;
      return world.graphql(query, { input: given }, as);
    };
    const member = 'member { userId username accessLevel expiresAt user { databaseId } }';
    const add = { ...input, accessLevel: 'DEVELOPER' };
    expect((await run(`add${kind}Member`, add, member, developer)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await run(`add${kind}Member`, add, member, who)).body.data[`add${kind}Member`].member).toEqual({
      userId: user.id,
      username: user.username,
      accessLevel: 'DEVELOPER',
      expiresAt: null,
      user: { databaseId: user.id },
    });
    expect((await run(`add${kind}Member`, add, member, who)).body.errors[0].extensions.code).toBe('CONFLICT');
    const change = { ...input, accessLevel: 'REPORTER', expiresAt: day(4) };
    expect(
      (await run(`update${kind}Member`, change, member, who)).body.data[`update${kind}Member`].member,
    ).toMatchObject({
      accessLevel: 'REPORTER',
      expiresAt: day(4),
    });
    const query = `query ($ref: ${kind}Ref!, $user: ID!) { ${field}(ref: $ref) {
      members(search: "${user.username}") { totalCount nodes { name } } member(userId: $user) { state avatarUrl webUrl createdAt } } }`;
    const read = await world.graphql(query, { ref: id, user: user.id }, developer);
    expect(read.body.data[field]).toMatchObject({
      members: { totalCount: 1, nodes: [{ name: `Name of ${user.username}` }] },
      member: { state: 'ACTIVE', webUrl: `${world.url}/${user.username}` },
    });
    const hidden = await world.graphql(query, { ref: id, user: user.id }, outsider);
    expect(hidden.body.errors[0].extensions.code).toBe('NOT_FOUND');
    const remove = await run(`remove${kind}Member`, input, 'removedUserId', user);
    expect(remove.body.data[`remove${kind}Member`]).toEqual({ removedUserId: toGlobalId('User', user.id) });
  });

  it('of a public project are shown to visitors, and those of an internal one are not', async () => {
    const { id } = await place('projects', 'public');
    const query = 'query ($ref: ProjectRef!) { project(ref: $ref) { members { totalCount } } }';
    expect((await world.graphql(query, { ref: id })).body.data.project.members.totalCount).toBeGreaterThan(0);
    const inside = await place('projects', 'internal');
    expect((await world.graphql(query, { ref: inside.id })).body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});
