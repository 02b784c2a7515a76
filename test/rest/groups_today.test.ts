// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
const ids = (list: Json[]) => list.map(({ id }) => id);

/** A tree of groups: the top, two in it, and one in the first of these. */
async function tree() {
  const top = await world.group({ owner, visibility: 'public' });
  const first = await world.group({ owner, parentId: top.id, name: 'Bravo team', visibility: 'public' });
  const second = await world.group({ owner, parentId: top.id, name: 'Alpha team' });
  const inner = await world.group({ owner, parentId: first.id, name: 'Charlie' });
  return { top, first, second, inner };
}

describe('GET /groups/:id/{subgroups,descendant_groups}', () => {
  it('list the groups below that the caller sees, by name, with filters and orders', async () => {
    const { top, first, second, inner } = await tree();
    const user = await world.user();
    await world.member(second, user, 'developer');
    const listed = async (who: TestUser, path: string) => {
      const { status, headers, body } = await world.api(who).get(`/groups/${top.id}/${path}`);
      expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
      return ids(body);
    };
    expect(await listed(owner, 'subgroups')).toEqual([second.id, first.id]);
    expect(await listed(owner, 'descendant_groups')).toEqual([second.id, first.id, inner.id]);
    expect(await listed(outsider, 'subgroups')).toEqual([first.id]);
    expect(await listed(outsider, 'descendant_groups')).toEqual([first.id]);
    expect(await listed(user, 'descendant_groups?min_access_level=30')).toEqual([second.id]);
    expect(await listed(user, 'descendant_groups?min_access_level=40')).toEqual([]);
    expect(await listed(owner, 'descendant_groups?visibility=private&order_by=id&sort=desc')).toEqual([
      inner.id,
      second.id,
    ]);
    expect(await listed(owner, 'descendant_groups?search=team&order_by=similarity&sort=desc')).toHaveLength(2);
    expect(await listed(owner, `subgroups?skip_groups[]=${first.id}`)).toEqual([second.id]);
    expect(await listed(owner, 'subgroups?top_level_only=true')).toEqual([]);
    expect(await world.api().get(`/groups/${top.id}/subgroups`)).toMatchObject({ status: 401 });
  });
});

describe('GET /groups', () => {
  it('knows the level of the caller, by whatever it comes, in `owned` and `min_access_level`', async () => {
    const user = await world.user();
    const { top, first, second, inner } = await tree();
    const [theirs, elsewhere] = [await world.group({ owner }), await world.group({ owner })];
    await world.member(first, user, 'owner');
    await world.member(second, user, 'reporter');
    await world.db.groupShare.create({
      data: { namespaceId: theirs.id, groupId: first.id, groupLineage: first.lineage, groupAccess: 40 },
    });
    const listed = async (query: string) => ids((await world.api(user).get(`/groups?order_by=id&${query}`)).body);
    expect(await listed('')).toEqual([first.id, second.id, inner.id, theirs.id]);
    expect(await listed('owned=true')).toEqual([first.id, inner.id]);
    expect(await listed('min_access_level=40')).toEqual([first.id, inner.id, theirs.id]);
    expect(await listed('min_access_level=20&all_available=true')).toEqual([first.id, second.id, inner.id, theirs.id]);
    expect(await listed('top_level_only=true')).toEqual([theirs.id]);
    expect(await listed('all_available=true&top_level_only=true&visibility=public')).toContain(top.id);
    expect(ids((await world.api(admin).get('/groups?min_access_level=10')).body)).toEqual([]);
    expect(await listed('all_available=true')).not.toContain(elsewhere.id);
    for (const wrong of ['min_access_level=7', 'visibility=secret', 'order_by=size']) {
      expect(await world.api(user).get(`/groups?${wrong}`)).toMatchObject({ status: 400 });
    }
  });

  it('orders by likeness to the text that is searched for', async () => {
    const user = await world.user();
    for (const name of ['quartz', 'quartz and other minerals', 'rose quartz', 'granite']) {
      await world.group({ owner: user, name, path: world.unique('stone') });
    }
    const named = async (sort: string) => {
      const { body } = await world.api(user).get(`/groups?search=quartz&order_by=similarity&sort=${sort}`);
      return body.map(({ name }: Json) => name);
    };
    const likest = ['quartz', 'rose quartz', 'quartz and other minerals'];
    expect(await named('desc')).toEqual(likest);
    expect(await named('asc')).toEqual([...likest].reverse());
  });

  it('is paged by names with `pagination=keyset`, and by numbers where that is not possible', async () => {
    const user = await world.user();
    const made: number[] = [];
    for (const name of ['Kilo', 'Lima', 'Lima', 'Mike', 'November']) {
      made.push((await world.group({ owner: user, name, path: world.unique('key') })).id);
    }
    const found: number[] = [];
    let path: string | undefined = '/groups?pagination=keyset&order_by=name&sort=asc&per_page=2';
    for (let page = 0; path && page < 9; page += 1) {
      const { headers, body } = await world.api(user).get(path);
      found.push(...ids(body));
      expect(headers['x-page']).toBeUndefined();
      const link = String(headers.link ?? '');
      expect(link === '' || link.endsWith('rel="next"')).toBe(true);
      path = /<[^>]*\/api\/v4([^>]*)>/.exec(link)?.[1];
    }
    expect(found).toEqual(made);
    const { headers } = await world.api(user).get('/groups?pagination=keyset&order_by=path&per_page=2');
    expect(headers['x-page']).toBe('1');
    expect(await world.api(user).get('/groups?pagination=keyset&order_by=name&cursor=nonsense')).toMatchObject({
      status: 400,
    });
  });

  it('gives the same whole records to a search, whatever else is asked with it', async () => {
    const user = await world.user();
    const group = await world.group({ owner: user });
    const keys = async (query: string) =>
      Object.keys((await world.api(user).get(`/groups?search=${group.name}${query}`)).body[0]);
    const whole = await keys('');
    expect(whole).toContain('full_path');
    expect(await keys('&top_level_only=false')).toEqual(whole);
    expect(await keys('&page=1&per_page=20&order_by=name')).toEqual(whole);
  });
});

describe('GET /groups/:id', () => {
  it('leaves out the projects with `with_projects=false`', async () => {
    const group = await world.group({ owner });
    await world.project({ owner, namespaceId: group.id });
    const { body } = await world.api(owner).get(`/groups/${group.id}?with_projects=false`);
    expect([body.id, 'projects' in body, 'shared_projects' in body]).toEqual([group.id, false, false]);
    expect((await world.api(owner).get(`/groups/${group.id}`)).body.projects).toHaveLength(1);
  });
});

describe('Rights that a group grants', () => {
  const create = (who: TestUser, namespaceId: number) =>
    world.api(who).post('/projects', { name: world.unique('made'), namespace_id: namespaceId });
  const nest = (who: TestUser, parentId: number) => {
    const path = world.unique('nested');
    return world.api(who).post('/groups', { name: path, path, parent_id: parentId });
  };

  it('let members create projects from the level that `project_creation_level` says', async () => {
    const group = await world.group({ owner });
    const [developer, master] = [await world.user(), await world.user()];
    await world.member(group, developer, 'developer');
    await world.member(group, master, 'master');
    const statuses = async () => {
      const all: boolean[] = [];
      for (const who of [developer, master, owner, admin]) all.push((await create(who, group.id)).status === 201);
      return all;
    };
    expect((await world.api(owner).get(`/groups/${group.id}`)).body.project_creation_level).toBe('maintainer');
    expect(await statuses()).toEqual([false, true, true, true]);
    for (const [level, allowed] of [
      ['developer', [true, true, true, true]],
      ['owner', [false, false, true, true]],
      ['administrator', [false, false, false, true]],
      ['noone', [false, false, false, false]],
    ] as const) {
      const { body } = await world.api(owner).put(`/groups/${group.id}`, { project_creation_level: level });
      expect([level, body.project_creation_level, await statuses()]).toEqual([level, level, [...allowed]]);
    }
    expect(await world.api(owner).put(`/groups/${group.id}`, { project_creation_level: 'guest' })).toMatchObject({
      status: 400,
    });
  });

  it('let maintainers create subgroups where `subgroup_creation_level` says so', async () => {
    const path = world.unique('open');
    const given = { name: path, path, subgroup_creation_level: 'maintainer' };
    const { body: open } = await world.api(owner).post('/groups', given);
    const closed = await world.group({ owner });
    const [master, developer] = [await world.user(), await world.user()];
    for (const group of [{ id: open.id, kind: 'group' }, closed]) {
      await world.member(group, master, 'master');
      await world.member(group, developer, 'developer');
    }
    expect((await nest(master, open.id)).status).toBe(201);
    expect((await nest(developer, open.id)).status).toBe(403);
    expect((await nest(master, closed.id)).status).toBe(403);
  });

  it('keep projects from being shared with groups by `share_with_group_lock`, on every level below', async () => {
    const { top, inner } = await tree();
    const project = await world.project({ owner, namespaceId: inner.id });
    const other = await world.group({ owner });
    const share = () =>
      world.api(owner).post(`/projects/${project.id}/share`, { group_id: other.id, group_access: 20 });
    await world.api(owner).put(`/groups/${top.id}`, { share_with_group_lock: true });
    expect(await share()).toMatchObject({ status: 400 });
    expect(await world.db.projectShare.count({ where: { projectId: project.id } })).toBe(0);
    expect(
      await world.api(owner).post(`/groups/${inner.id}/share`, { group_id: other.id, group_access: 20 }),
    ).toMatchObject({ status: 201 });
    await world.api(owner).put(`/groups/${top.id}`, { share_with_group_lock: false });
    expect(await share()).toMatchObject({ status: 201 });
  });

  it('keep groups from being shared outside of their tree by `prevent_sharing_groups_outside_hierarchy`', async () => {
    const { top, second, inner } = await tree();
    const other = await world.group({ owner });
    const share = (group: GroupRow) =>
      world.api(owner).post(`/groups/${inner.id}/share`, { group_id: group.id, group_access: 20 });
    const key = 'prevent_sharing_groups_outside_hierarchy';
    expect((await world.api(owner).put(`/groups/${top.id}`, { [key]: true })).body[key]).toBe(true);
    expect(await share(other)).toMatchObject({ status: 404 });
    expect(await share(second)).toMatchObject({ status: 201 });
    expect((await world.api(owner).get(`/groups/${inner.id}`)).body).not.toHaveProperty(key);
    expect(await world.api(owner).put(`/groups/${inner.id}`, { [key]: true })).toMatchObject({ status: 400 });
  });
});

describe('POST /groups/:id/transfer', () => {
  const transfer = (who: TestUser, id: number, parent?: number) =>
    world.api(who).post(`/groups/${id}/transfer`, parent === undefined ? {} : { group_id: parent });

  it('moves a group with all that is in it, with its paths, rights, shares and labels; old paths redirect', async () => {
    const { top, first, inner } = await tree();
    const target = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: inner.id });
    const [fromTop, inTarget, shared] = [await world.user(), await world.user(), await world.user()];
    await world.member(top, fromTop, 'developer');
    await world.member(target, inTarget, 'developer');
    // The group was invited elsewhere, where its members have access by the groups around it.
    const elsewhere = await world.group({ owner });
    await world.api(owner).post(`/groups/${elsewhere.id}/share`, { group_id: inner.id, group_access: 20 });
    await world.member(inner, shared, 'guest');
    const label = world.unique('label');
    await world.api(owner).post(`/groups/${top.id}/labels`, { name: label, color: 'red' });
    const issue = await world.issue(project, owner);
    await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { labels: label });
    const sees = async (who: TestUser, path: string) => (await world.api(who).get(path)).status === 200;
    const reach = async (who: TestUser) => [
      await sees(who, `/projects/${project.id}`),
      await sees(who, `/groups/${elsewhere.id}`),
    ];
    await world.db.namespace.update({ where: { id: first.id }, data: { visibility: 'private' } });
    expect([await reach(fromTop), await reach(inTarget)]).toEqual([
      [true, true],
      [false, false],
    ]);

    const { status, body } = await transfer(owner, first.id, target.id);
    expect([status, body.parent_id, body.full_path]).toEqual([201, target.id, `${target.fullPath}/${first.path}`]);
    expect([await reach(fromTop), await reach(inTarget)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(await reach(shared)).toEqual([true, true]);
    const fullPath = `${target.fullPath}/${first.path}/${inner.path}/${project.path}`;
    const moved = await world.api(owner).get(`/projects/${encodeURIComponent(fullPath)}`);
    expect(moved.body).toMatchObject({ id: project.id, path_with_namespace: fullPath });
    expect(moved.body.name_with_namespace).toBe(`${target.name} / ${first.name} / ${inner.name} / ${project.name}`);
    const old = await world.api(owner).get(`/projects/${encodeURIComponent(project.fullPath)}`);
    expect(old.status).toBe(301);
    const { body: after } = await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}`);
    expect(after.labels).toEqual([label]);
    expect((await world.api(owner).get(`/projects/${project.id}/labels`)).body).toMatchObject([{ name: label }]);
  });

  it('moves a group to the top without `group_id`', async () => {
    const { first, inner } = await tree();
    const { status, body } = await transfer(owner, first.id);
    expect([status, body.parent_id, body.full_path, body.full_name]).toEqual([201, null, first.path, first.name]);
    expect((await world.api(owner).get(`/groups/${inner.id}`)).body.full_path).toBe(`${first.path}/${inner.path}`);
    const { lineage } = await world.db.namespace.findUniqueOrThrow({ where: { id: inner.id } });
    expect(lineage).toEqual([first.id, inner.id]);
  });

  it('refuses what cannot be, and leaves everything as it was', async () => {
    const { top, first, second, inner } = await tree();
    const taken = await world.group({ owner, parentId: second.id, path: first.path });
    const hidden = await world.group({ owner: outsider });
    const closed = await world.group({ owner: outsider, visibility: 'public' });
    const before = await world.db.namespace.findMany({ orderBy: { id: 'asc' } });
    const refusals: [number, TestUser, number, number | undefined][] = [
      [400, owner, top.id, undefined],
      [400, owner, first.id, top.id],
      [400, owner, first.id, first.id],
      [400, owner, first.id, inner.id],
      [400, owner, first.id, second.id],
      [404, owner, first.id, hidden.id],
      [403, owner, first.id, closed.id],
      [403, outsider, first.id, closed.id],
      [404, outsider, second.id, closed.id],
    ];
    for (const [status, who, id, parent] of refusals) {
      expect([id, parent, (await transfer(who, id, parent)).status]).toEqual([id, parent, status]);
    }
    expect((await transfer(owner, first.id, second.id)).body.message).toMatch(/^Transfer failed: /);
    // Of a private parent, a public group cannot be; and a path is taken.
    await world.db.namespace.update({ where: { id: first.id }, data: { visibility: 'private' } });
    await world.db.namespace.update({ where: { id: inner.id }, data: { visibility: 'private' } });
    expect((await transfer(owner, first.id, second.id)).body.message).toContain('same path');
    await world.db.namespace.update({ where: { id: first.id }, data: { visibility: 'public' } });
    const now = await world.db.namespace.findMany({ orderBy: { id: 'asc' } });
    const facts = (list: typeof now) => list.map(({ id, fullPath, lineage }) => [id, fullPath, lineage]);
    expect(facts(now)).toEqual(facts(before));
    expect(taken.path).toBe(first.path);
  });

  it('is done one after the other, so that two groups never end up in each other', async () => {
    const [one, other] = [await world.group({ owner }), await world.group({ owner })];
    const answers = await Promise.all([transfer(owner, one.id, other.id), transfer(owner, other.id, one.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });
});

describe('/groups/:id/hooks', () => {
  it('are created, read, changed and deleted by owners, apart from those of other groups', async () => {
    const group = await world.group({ owner });
    const other = await world.group({ owner });
    const api = world.api(owner);
    const url = 'https://hooks.example.com/told';
    const created = await api.post(`/groups/${group.id}/hooks`, { url, issues_events: true, token: 'secret' });
    expect(created).toMatchObject({
      status: 201,
      body: { url, group_id: group.id, push_events: true, issues_events: true, note_events: false },
    });
    expect(JSON.stringify(created.body)).not.toContain('secret');
    const at = `/groups/${group.id}/hooks/${created.body.id}`;
    const { body: foreign } = await api.post(`/groups/${other.id}/hooks`, { url });
    expect(ids((await api.get(`/groups/${group.id}/hooks`)).body)).toEqual([created.body.id]);
    expect(await api.put(at, { push_events: false })).toMatchObject({ status: 200, body: { url, push_events: false } });
    expect(await api.put(at, {})).toMatchObject({ status: 400 });
    expect(await api.put(at, { url: 'nonsense' })).toMatchObject({ status: 422, body: { error: 'Invalid url given' } });
    expect((await api.get(at)).body).toMatchObject({ url, push_events: false, issues_events: true });
    for (const path of [`/groups/${group.id}/hooks/${foreign.id}`, `/groups/${group.id}/hooks/999999`]) {
      expect((await api.get(path)).status).toBe(404);
      expect((await api.put(path, { push_events: false })).status).toBe(404);
      expect((await api.delete(path)).status).toBe(404);
    }
    expect(await api.delete(at)).toMatchObject({ status: 204 });
    expect(await world.db.hook.findMany({ select: { id: true } })).toEqual([{ id: foreign.id }]);
  });
});
