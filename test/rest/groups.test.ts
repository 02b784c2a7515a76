import { describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { BASIC_PROJECT_KEYS, GROUP_KEYS, LISTED_PROJECT_KEYS, PROJECT_KEYS } from '../support/records.ts';
import { LEVELS, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const member = await world.user();
const outsider = await world.user();
const external = await world.user({ external: true });
const admin = await world.user({ admin: true });

const names = (list: Json[]) => list.map(({ name }) => name);
const sorted = (keys: Iterable<string>) => [...keys].sort();
const keysOf = (record: object) => sorted(Object.keys(record));
/** Shares a project with a group, which has no command in this slice. */
const share = (projectId: number, groupId: number, groupAccess: number, expiresAt: Date | null = null) =>
  world.db.projectShare.create({ data: { projectId, groupId, groupAccess, expiresAt } });

describe('GET /groups/:id', async () => {
  const group = await world.group({ owner, description: 'What for', requestAccessEnabled: true });
  const nested = await world.group({ owner, parentId: group.id });
  const mine = await world.project({ owner });
  const inGroup = await world.project({ owner, namespaceId: group.id });
  const archived = await world.project({ owner, namespaceId: group.id });
  const deep = await world.project({ owner, namespaceId: nested.id });
  await world.db.project.update({ where: { id: archived.id }, data: { archived: true } });
  await share(mine.id, group.id, LEVELS.reporter);
  await world.member(group, member, 'guest');

  it('holds the projects directly inside and those shared with it', async () => {
    const { status, body } = await world.api(member).get(`/groups/${group.id}`);
    expect([status, Object.keys(body)]).toEqual([
      200,
      [...GROUP_KEYS, 'prevent_sharing_groups_outside_hierarchy', 'shared_with_groups', 'projects', 'shared_projects'],
    ]);
    expect(body).toMatchObject({ description: 'What for', request_access_enabled: true, full_path: group.fullPath });
    expect(names(body.projects)).toEqual([archived.name, inGroup.name]);
    expect(names(body.shared_projects)).toEqual([mine.name]);
    for (const project of body.projects) expect(keysOf(project)).toEqual(sorted(PROJECT_KEYS));
    expect(keysOf(body.shared_projects[0])).toEqual(sorted([...PROJECT_KEYS, 'owner']));
    expect(body.shared_projects[0].shared_with_groups).toEqual([
      {
        group_id: group.id,
        group_name: group.name,
        group_full_path: group.fullPath,
        group_access_level: LEVELS.reporter,
        expires_at: null,
      },
    ]);
  });

  it('finds it by full path, whatever its case and however deep', async () => {
    const path = encodeURIComponent(nested.fullPath.toUpperCase());
    const { body } = await world.api(member).get(`/groups/${path}`);
    expect([body.id, body.parent_id, names(body.projects)]).toEqual([nested.id, group.id, [deep.name]]);
  });

  it('shows only the projects that the caller sees', LONG, async () => {
    const open = await world.group({ owner, visibility: 'public' });
    const visible = await world.project({ owner, namespaceId: open.id, visibility: 'public' });
    const hidden = await world.project({ owner, namespaceId: open.id });
    const shared = await world.project({ owner });
    await share(shared.id, open.id, LEVELS.guest);
    const seen = async (who: TestUser) => {
      const { body } = await world.api(who).get(`/groups/${open.id}`);
      return [names(body.projects), names(body.shared_projects)];
    };
    expect(await seen(outsider)).toEqual([[visible.name], []]);
    expect(await seen(owner)).toEqual([[hidden.name, visible.name], [shared.name]]);
    expect(await seen(admin)).toEqual([[hidden.name, visible.name], [shared.name]]);
    await world.member(open, outsider, 'guest');
    expect(await seen(outsider)).toEqual([[hidden.name, visible.name], [shared.name]]);
  });

  it('leaves out shares that have expired, and open_issues_count where issues are off', async () => {
    const own = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: own.id, switches: { issuesEnabled: false } });
    await share((await world.project({ owner })).id, own.id, LEVELS.guest, new Date());
    const { body } = await world.api(owner).get(`/groups/${own.id}`);
    expect([names(body.projects), body.shared_projects]).toEqual([[project.name], []]);
    expect(Object.keys(body.projects[0])).not.toContain('open_issues_count');
  });

  it('holds all projects, more than a page, in the same few statements', LONG, async () => {
    const big = await world.group({ owner });
    // Each asks for something new: what came before is read ahead.
    const ask = () => world.api(owner).get(`/groups/${big.id}?${world.unique('new')}`);
    const count = async () => (await world.statements(ask)).length;
    await count(); // The first request of a day notes the day.
    const before = await count();
    const [first] = [await world.project({ owner, namespaceId: big.id })];
    const { id: _, ...row } = await world.db.project.findUniqueOrThrow({ where: { id: first.id } });
    const copy = { ...row, runnersTokenHash: null };
    const many = Array.from({ length: 120 }, (_, n) => ({ ...copy, name: `copy ${n}`, path: `copy-${n}` }));
    await world.db.project.createMany({ data: many });
    expect((await world.api(owner).get(`/groups/${big.id}`)).body.projects).toHaveLength(121);
    expect(await count()).toBe(before);
    expect(before).toBeLessThanOrEqual(4);
  });

  it('hides a private group from all but members and those with access to a project inside', async () => {
    const hidden = { status: 404, body: { message: '404 Group Not Found' } };
    expect(await world.api(outsider).get(`/groups/${group.id}`)).toMatchObject(hidden);
    expect(await world.api(outsider).get('/groups/no%2Fsuch')).toMatchObject(hidden);
    expect(await world.api(outsider).get('/groups/99999999999')).toMatchObject(hidden);
    const guest = await world.user();
    await world.member(deep, guest, 'guest');
    const { status, body } = await world.api(guest).get(`/groups/${group.id}`);
    expect([status, body.projects, body.shared_projects]).toEqual([200, [], []]);
    expect(await world.api().get(`/groups/${group.id}`)).toMatchObject({ status: 401 });
  });

  it('is not the way to a personal namespace', async () => {
    expect(await world.api(owner).get(`/groups/${owner.username}`)).toMatchObject({ status: 404 });
  });
});

describe('GET /groups/:id/projects', async () => {
  const group = await world.group({ owner, visibility: 'public' });
  const nested = await world.group({ owner, parentId: group.id, visibility: 'public' });
  const make = (name: string, visibility: 'private' | 'internal' | 'public', description = '') =>
    world.project({ owner, name, visibility, description, namespaceId: group.id });
  const [a, b, c] = [await make('a', 'private'), await make('b', 'internal', 'Red'), await make('c', 'public')];
  const old = await make('old', 'public');
  await world.db.project.update({ where: { id: old.id }, data: { archived: true } });
  await world.project({ owner, namespaceId: nested.id, visibility: 'public' });
  const at = `/groups/${encodeURIComponent(group.fullPath)}/projects`;
  const list = async (who: TestUser, query = '') => names((await world.api(who).get(`${at}${query}`)).body);

  it('lists what the caller sees, newest first, without archived ones', async () => {
    const { status, headers, body } = await world.api(owner).get(at);
    expect([status, headers['x-total'], names(body)]).toEqual([200, '3', ['c', 'b', 'a']]);
    for (const project of body) expect(keysOf(project)).toEqual(sorted(LISTED_PROJECT_KEYS));
    expect(await list(outsider)).toEqual(['c', 'b']);
    expect(await list(external)).toEqual(['c']);
    expect(await list(admin)).toEqual(['c', 'b', 'a']);
  });

  it('counts in its total only what the caller sees', async () => {
    expect((await world.api(external).get(at)).headers['x-total']).toBe('1');
  });

  it.each([
    ['?archived=true', ['old']],
    ['?archived=false', ['c', 'b', 'a']],
    ['?visibility=internal', ['b']],
    ['?visibility=private&sort=asc', ['a']],
    ['?order_by=name&sort=asc', ['a', 'b', 'c']],
    ['?order_by=path', ['c', 'b', 'a']],
    ['?order_by=id&sort=asc', ['a', 'b', 'c']],
    ['?order_by=updated_at&sort=asc', ['a', 'b', 'c']],
    ['?order_by=last_activity_at', ['c', 'b', 'a']],
    ['?search=RED', ['b']],
    ['?owned=true', ['c', 'b', 'a']],
    ['?starred=true', []],
    ['?per_page=1&page=2', ['b']],
  ])('filters and orders by %s', async (query, expected) => {
    expect(await list(owner, query)).toEqual(expected);
  });

  it('narrows to starred and owned projects of the caller', async () => {
    await world.db.projectStar.create({ data: { projectId: c.id, userId: outsider.id } });
    expect(await list(outsider, '?starred=true')).toEqual(['c']);
    expect(await list(outsider, '?owned=true')).toEqual([]);
  });

  it('gives seven keys when asked for simple records', async () => {
    const { body } = await world.api(owner).get(`${at}?simple=true`);
    for (const project of body) expect(Object.keys(project)).toEqual(BASIC_PROJECT_KEYS);
    expect(names(body)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    ['?visibility=secret', 'visibility does not have a valid value'],
    ['?order_by=size', 'order_by does not have a valid value'],
    ['?archived=maybe', 'archived is invalid'],
    ['?page=x', 'page is invalid'],
  ])('refuses %s', async (query, error) => {
    expect(await world.api(owner).get(`${at}${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('answers 401 to anonymous callers and 404 to those who do not see the group', async () => {
    expect(await world.api().get(at)).toMatchObject({ status: 401 });
    const hidden = await world.group({ owner });
    expect(await world.api(outsider).get(`/groups/${hidden.id}/projects`)).toMatchObject({ status: 404 });
  });

  it('takes the same few statements however many there are', async () => {
    const count = async (query: string) => (await world.statements(() => world.api(owner).get(`${at}${query}`))).length;
    await count(''); // The first request of a day notes the day.
    expect([await count('?per_page=1'), (await count('?per_page=100')) <= 4]).toEqual([
      await count('?per_page=2'),
      true,
    ]);
  });

  it('obeys the same visibility in GraphQL', async () => {
    const query = `query ($ref: GroupRef!) { group(ref: $ref) {
      projects(filter: { archived: null }, orderBy: NAME, sort: ASC) { totalCount nodes { name } } allProjects { name }
      sharedProjects { totalCount } allSharedProjects { name } subgroups { totalCount nodes { name projects { totalCount } } } } }`;
    const { body } = await world.graphql(query, { ref: group.id }, external);
    expect(body.data.group).toEqual({
      projects: { totalCount: 2, nodes: [{ name: 'c' }, { name: 'old' }] },
      allProjects: [{ name: 'old' }, { name: 'c' }],
      sharedProjects: { totalCount: 0 },
      allSharedProjects: [],
      subgroups: { totalCount: 1, nodes: [{ name: nested.name, projects: { totalCount: 1 } }] },
    });
    expect([a.visibility, b.visibility]).toEqual(['private', 'internal']);
  });
});

describe('Groups in GraphQL', () => {
  it('are listed with the filters and the visibility of REST', async () => {
    const user = await world.user();
    const own = await world.group({ owner: user, name: 'My own' });
    await world.group({ owner: user, name: 'My inner', parentId: own.id });
    const query = `query ($all: Boolean, $search: String) { groups(allAvailable: $all, search: $search, sort: DESC) {
      totalCount nodes { name viewerAccessLevel statistics { storageSize } subgroups { nodes { name } } } } }`;
    const { body } = await world.graphql(query, {}, user);
    expect(body.data.groups).toEqual({
      totalCount: 2,
      nodes: [
        { name: 'My own', viewerAccessLevel: 'OWNER', statistics: null, subgroups: { nodes: [{ name: 'My inner' }] } },
        { name: 'My inner', viewerAccessLevel: 'OWNER', statistics: null, subgroups: { nodes: [] } },
      ],
    });
    const found = await world.graphql(query, { all: true, search: 'my ' }, outsider);
    expect(found.body.data.groups).toEqual({ totalCount: 0, nodes: [] });
    const visitor = await world.graphql(query, { all: true, search: 'my ' });
    expect(visitor.body.data.groups).toEqual({ totalCount: 0, nodes: [] });
  });

  it('hides subgroups that the caller does not see', async () => {
    const open: GroupRow = await world.group({ owner, visibility: 'public' });
    await world.group({ owner, parentId: open.id, visibility: 'private' });
    const query = 'query ($ref: GroupRef!) { group(ref: $ref) { subgroups { totalCount nodes { name } } } }';
    const { body } = await world.graphql(query, { ref: open.id }, outsider);
    expect(body.data.group.subgroups).toEqual({ totalCount: 0, nodes: [] });
  });

  it('are out of reach of tokens that read users only', async () => {
    const api = world.api(await world.token(owner, ['read_user']));
    const group = await world.group({ owner, visibility: 'public' });
    const paths = [
      '/groups',
      `/groups/${group.id}`,
      `/groups/${group.id}/projects`,
      `/groups/${group.id}/members`,
      '/namespaces',
    ];
    for (const path of paths) {
      expect(await api.get(path)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    }
  });

  it('are refused where lists of all projects within lists ask for too much', async () => {
    const query = '{ groups(limit: 100) { nodes { allProjects { issues(limit: 100) { nodes { title } } } } } }';
    const { body } = await world.graphql(query, {}, owner);
    expect(body.errors[0].extensions.code).toBe('QUERY_TOO_LARGE');
  });
});
