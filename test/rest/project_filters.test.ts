// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user({ username: 'owner' });
const member = await world.user();
const admin = await world.user({ admin: true });
let top: GroupRow;
let ids: Record<string, number>;

/** Projects whose names begin with other letters, the oldest first. */
beforeAll(async () => {
  top = await world.group({ owner, name: 'Orchard', path: 'orchard', visibility: 'public' });
  const inner = await world.group({
    owner,
    name: 'Apple trees',
    path: 'apples',
    parentId: top.id,
    visibility: 'public',
  });
  const other = await world.group({ owner, name: 'Elsewhere', path: 'elsewhere', visibility: 'public' });
  const make = async (name: string, values: Json, data: Json) => {
    const project = await world.project({ owner, visibility: 'public', name, path: name.toLowerCase(), ...values });
    await world.db.project.update({ where: { id: project.id }, data });
    return project;
  };
  const made: Record<string, ProjectRow> = {
    A: await make('Axe', { namespaceId: top.id }, { tagList: ['Go', 'tools'], issuesEnabled: false }),
    B: await make('Barrow', { namespaceId: inner.id }, { tagList: ['go'], description: 'has one wheel' }),
    C: await make('Cart', { namespaceId: other.id }, { tagList: ['golang'], mergeRequestsEnabled: false }),
    D: await make('Drill', { visibility: 'private' }, { tagList: [] }),
    E: await make('Engine', { namespaceId: other.id }, { tagList: ['tools'], description: 'two wheels' }),
  };
  ids = Object.fromEntries(Object.entries(made).map(([name, { id }]) => [name, id]));
  await world.member(made.D as ProjectRow, member, 'guest');
  await world.member(inner, member, 'developer');
  await world.db.projectShare.create({ data: { projectId: ids.E ?? 0, groupId: top.id, groupAccess: 20 } });
  await world.db.projectShare.create({ data: { projectId: ids.C ?? 0, groupId: inner.id, groupAccess: 30 } });
  for (const [n, id] of Object.values(ids).entries()) {
    await world.db
      .$executeRaw`UPDATE projects SET last_activity_at = ${`2030-01-0${n + 1}`}::timestamptz WHERE id = ${id}`;
  }
});

/** Initials of the projects in a list, the oldest first; its total says the same. */
async function listed(who: TestUser | undefined, path: string): Promise<string> {
  const { status, headers, body } = await world.api(who).get(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers['x-total']).toBe(String(body.length));
  return body.map(({ name }: Json) => name[0]).join('');
}

const lists = (query: string) => `/projects?order_by=id&sort=asc&${query}`;

describe('GET /projects', () => {
  it.each([
    ['min_access_level=10', 'ABCDE', 'BCD', ''],
    ['min_access_level=5', 'ABCDE', 'BCD', ''],
    ['min_access_level=15', 'ABCDE', 'BC', ''],
    ['min_access_level=20', 'ABCDE', 'BC', ''],
    ['min_access_level=40', 'ABCDE', '', ''],
    ['last_activity_after=2030-01-02T00:00:00Z', 'BCDE', 'BCDE', 'BCE'],
    ['last_activity_before=2030-01-02', 'AB', 'AB', 'AB'],
    ['last_activity_after=2030-01-02&last_activity_before=2030-01-04', 'BCD', 'BCD', 'BC'],
    ['topic=go', 'AB', 'AB', 'AB'],
    ['topic=GO,%20Tools', 'A', 'A', 'A'],
    ['topic=tools', 'AE', 'AE', 'AE'],
    ['topic=unknown', '', '', ''],
    ['topic=', 'ABCDE', 'ABCDE', 'ABCE'],
    ['with_issues_enabled=true', 'BCDE', 'BCDE', 'BCE'],
    ['with_issues_enabled=false', 'ABCDE', 'ABCDE', 'ABCE'],
    ['with_merge_requests_enabled=true', 'ABDE', 'ABE', 'ABE'],
    ['search=wheel', 'BE', 'BE', 'BE'],
    ['search=wheel%20one', 'B', 'B', 'B'],
    ['search=orchard', 'A', 'A', 'A'],
    ['search=orchard&search_namespaces=true', 'AB', 'AB', 'AB'],
    ['search=orchard/apples&search_namespaces=true', 'B', 'B', 'B'],
    ['search=orchard/axe&search_namespaces=true', 'A', 'A', 'A'],
    ['search=orchard/axe', '', '', ''],
    ['search=tree%20bar&search_namespaces=true', 'B', 'B', 'B'],
    ['search=d/a&search_namespaces=true', 'AB', 'AB', 'AB'],
    ['topic=tools&min_access_level=10&with_issues_enabled=true', 'E', '', ''],
  ])('with %s', async (query, asOwner, asMember, anonymous) => {
    const found: string[] = [];
    for (const who of [owner, member, undefined]) found.push(await listed(who, lists(query)));
    expect(found).toEqual([asOwner, asMember, anonymous]);
  });

  it('finds the one project between two IDs', async () => {
    const { B = 0 } = ids;
    expect(await listed(owner, lists(`id_after=${B - 1}&id_before=${B + 1}`))).toBe('B');
    expect(await listed(owner, lists(`id_after=${B}`))).toBe('CDE');
    expect(await listed(owner, lists(`id_before=${B}`))).toBe('A');
    expect(await listed(owner, lists('id_after=99999999999'))).toBe('');
  });

  it('counts the level that an administrator was given, not what they may do', async () => {
    expect([await listed(admin, lists('min_access_level=10')), await listed(admin, lists(''))]).toEqual(['', 'ABCDE']);
  });

  it('counts a level only as long as the membership lasts', async () => {
    const late = await world.user();
    await world.db.member.create({ data: { userId: late.id, projectId: ids.E ?? 0, accessLevel: 40 } });
    expect(await listed(late, lists('min_access_level=40'))).toBe('E');
    await world.db.member.updateMany({ where: { userId: late.id }, data: { expiresAt: new Date() } });
    expect(await listed(late, lists('min_access_level=40'))).toBe('');
  });

  it.each([
    ['min_access_level=25', 'min_access_level does not have a valid value'],
    ['min_access_level=master', 'min_access_level is invalid'],
    ['id_after=x', 'id_after is invalid'],
    ['last_activity_after=soon', 'last_activity_after is invalid'],
    ['with_issues_enabled=maybe', 'with_issues_enabled is invalid'],
    ['search_namespaces=maybe', 'search_namespaces is invalid'],
  ])('refuses %s', async (query, error) => {
    for (const list of ['/projects', `/groups/${top.id}/projects`]) {
      expect(await world.api(owner).get(`${list}?${query}`)).toMatchObject({ status: 400, body: { error } });
    }
  });

  it('refuses more words and topics than anybody looks for', async () => {
    const words = Array.from({ length: 21 }, (_, n) => `w${n}`).join('+');
    const topics = Array.from({ length: 101 }, (_, n) => `t${n}`).join();
    for (const query of [`search=${words}`, `topic=${topics}`]) {
      const { status, body } = await world.api(owner).get(`/projects?${query}`);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(/too many/)]);
    }
  });
});

describe('GET /groups/:id/projects', () => {
  it.each([
    ['', 'A'],
    ['include_subgroups=true', 'AB'],
    ['with_shared=true', 'AE'],
    ['include_subgroups=true&with_shared=true', 'ABE'],
    ['include_subgroups=false&with_shared=false', 'A'],
    ['include_subgroups=true&topic=go', 'AB'],
    ['include_subgroups=true&with_issues_enabled=true', 'B'],
    ['include_subgroups=true&min_access_level=30', 'B'],
    ['include_subgroups=true&search=axe', 'A'],
    ['with_shared=true&with_merge_requests_enabled=true&search=engine', 'E'],
  ])('with %s', async (query, expected) => {
    expect(await listed(member, `/groups/${top.id}/projects?order_by=id&sort=asc&${query}`)).toBe(expected);
  });

  it('shows of a group inside, and of what is shared, only what the caller sees', async () => {
    const secret = await world.group({ owner, parentId: top.id, visibility: 'private' });
    const hidden = await world.project({ owner, namespaceId: secret.id, name: 'Xray' });
    const shared = await world.project({ owner, name: 'Yoke' });
    await world.db.projectShare.create({ data: { projectId: shared.id, groupId: top.id, groupAccess: 20 } });
    const path = `/groups/${top.id}/projects?include_subgroups=true&with_shared=true&order_by=id&sort=asc`;
    expect(await listed(await world.user(), path)).toBe('ABE');
    expect(await listed(owner, path)).toBe('ABEXY');
    await world.db.projectShare.updateMany({ where: { projectId: shared.id }, data: { expiresAt: new Date() } });
    expect(await listed(owner, path)).toBe('ABEX');
    await world.db.project.deleteMany({ where: { id: { in: [hidden.id, shared.id] } } });
  });
});

describe('Projects in GraphQL', () => {
  it.each([
    ['projects(filter: { topics: ["GO"], withIssuesEnabled: true })', 'B'],
    ['projects(filter: { minAccessLevel: DEVELOPER })', 'BC'],
    ['projects(filter: { searchNamespaces: true, search: "orchard" })', 'AB'],
    ['projects(filter: null)', 'ABCDE'],
  ])('%s', async (field, expected) => {
    const query = `{ ${field.replace(')', ', orderBy: ID, sort: ASC)')} { totalCount nodes { name } } }`;
    const { data } = (await world.graphql(query, {}, member)).body;
    expect(data.projects.nodes.map(({ name }: Json) => name[0]).join('')).toBe(expected);
    expect(data.projects.totalCount).toBe(expected.length);
  });

  it('of a group and those inside it are read together for several groups', async () => {
    const query = `{ viewer { groups { nodes { name projects(includeSubgroups: true, withShared: true, orderBy: ID, sort: ASC) {
      nodes { name } } } } } }`;
    const { data } = (await world.graphql(query, {}, owner)).body;
    const found = data.viewer.groups.nodes.map(({ name, projects }: Json) => [
      name,
      projects.nodes.map((project: Json) => project.name[0]).join(''),
    ]);
    expect(Object.fromEntries(found)).toMatchObject({ Orchard: 'ABE', 'Apple trees': 'BC', Elsewhere: 'CE' });
  });
});
