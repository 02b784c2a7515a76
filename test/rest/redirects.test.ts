// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);
const moved = (path: string) => ({ status: 301, headers: { location: `${world.url}/api/v4${path}` } });
const missing = { status: 404 };
const groupAt = (path: string, rest = '') => `/groups/${encodeURIComponent(path)}${rest}`;
const projectAt = (path: string, rest = '') => `/projects/${encodeURIComponent(path)}${rest}`;

/** A group in a group with a project in it, the outermost renamed. */
async function renamed() {
  const top = await world.group({ owner });
  const inside = await world.group({ owner, parentId: top.id });
  const project = await world.project({ owner, namespaceId: inside.id });
  const path = world.unique('renamed');
  expect(await api.put(`/groups/${top.id}`, { path })).toMatchObject({ status: 200 });
  const now = { inside: `${path}/${inside.path}`, project: `${path}/${inside.path}/${project.path}` };
  return { top, inside, project, path, now };
}

describe('The old path of a renamed group', () => {
  it('redirects reads of the group and of everything below it', LONG, async () => {
    const { top, inside, project, path, now } = await renamed();
    expect(await api.get(groupAt(top.fullPath))).toMatchObject(moved(groupAt(path)));
    expect(await api.get(groupAt(inside.fullPath))).toMatchObject(moved(groupAt(now.inside)));
    expect(await api.get(projectAt(project.fullPath))).toMatchObject(moved(projectAt(now.project)));
    expect(await api.get(groupAt(top.fullPath.toUpperCase()))).toMatchObject(moved(groupAt(path)));
  });

  it('redirects what is read below the group or project, and keeps the query without credentials', LONG, async () => {
    const { top, project, path, now } = await renamed();
    const secrets = `private_token=${owner.token}&sudo=${owner.id}`;
    expect(await world.api(admin).get(groupAt(top.fullPath, '/members?per_page=5&query=a%20b'))).toMatchObject(
      moved(groupAt(path, '/members?per_page=5&query=a+b')),
    );
    const issues = await world
      .api()
      .get(projectAt(project.fullPath, `/issues?private_token=${owner.token}&state=opened`));
    expect(issues).toMatchObject(moved(projectAt(now.project, '/issues?state=opened')));
    const asAdmin = secrets.replace(owner.token, admin.token);
    expect(await world.api().get(groupAt(top.fullPath, `?${asAdmin}&x=1`))).toMatchObject(moved(groupAt(path, '?x=1')));
  });

  it('leads to the record', LONG, async () => {
    const { project, now } = await renamed();
    const { headers } = await api.get(projectAt(project.fullPath));
    const { pathname } = new URL(headers.location ?? '');
    expect(await api.get(pathname.slice('/api/v4'.length))).toMatchObject({
      status: 200,
      body: { id: project.id, path_with_namespace: now.project },
    });
  });

  it('says nothing to those who do not see the target', LONG, async () => {
    const { top, inside, project, now } = await renamed();
    for (const path of [groupAt(top.fullPath), groupAt(inside.fullPath), projectAt(project.fullPath)]) {
      expect(await world.api(outsider).get(path)).toMatchObject(missing);
    }
    expect(await world.api().get(projectAt(project.fullPath))).toMatchObject(missing);
    await world.member(project, guest, 'guest');
    expect(await world.api(guest).get(projectAt(project.fullPath))).toMatchObject(moved(projectAt(now.project)));
  });

  it('is nothing to writes', async () => {
    const { top, project } = await renamed();
    expect(await api.put(groupAt(top.fullPath), { name: 'x' })).toMatchObject(missing);
    expect(await api.delete(groupAt(top.fullPath))).toMatchObject(missing);
    expect(await api.post(projectAt(project.fullPath, '/labels'), { name: 'x', color: 'red' })).toMatchObject(missing);
    expect(await api.post(groupAt(top.fullPath, '/members'), { user_id: guest.id, access_level: 10 })).toMatchObject(
      missing,
    );
    expect(await world.db.namespace.findUnique({ where: { id: top.id } })).toMatchObject({
      name: top.name,
      deletedAt: null,
    });
    expect(await world.db.label.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('is told to GraphQL clients as the place where it went', async () => {
    const { top, path } = await renamed();
    const query = 'query ($ref: GroupRef!) { group(ref: $ref) { name } }';
    const see = async (who: TestUser) =>
      (await world.graphql(query, { ref: top.fullPath }, who)).body.errors[0].extensions;
    expect(await see(owner)).toMatchObject({ code: 'NOT_FOUND', movedTo: path });
    expect(await see(outsider)).toEqual({ code: 'NOT_FOUND', resource: 'Group' });
  });

  it('redirects until somebody takes it', LONG, async () => {
    const { top, inside, project, now } = await renamed();
    const taken = await world.group({ owner, path: top.path.toUpperCase() });
    expect(await api.get(groupAt(top.fullPath))).toMatchObject({ status: 200, body: { id: taken.id } });
    // What was below the path is taken by nobody yet.
    expect(await api.get(groupAt(inside.fullPath))).toMatchObject(moved(groupAt(now.inside)));
    expect(await api.get(projectAt(project.fullPath))).toMatchObject(moved(projectAt(now.project)));
    const again = await world.group({ owner, parentId: taken.id, path: inside.path });
    const sitting = await world.project({ owner, namespaceId: again.id, path: project.path });
    expect(await api.get(projectAt(project.fullPath))).toMatchObject({ status: 200, body: { id: sitting.id } });
    await api.put(`/groups/${taken.id}`, { path: world.unique('away') });
    const [{ id = 0 } = {}] = await world.db.pathRedirect.findMany({ where: { namespaceId: top.id } });
    expect(id).toBe(0);
  });

  it('is nothing any more when the target is deleted', LONG, async () => {
    const { top, project } = await renamed();
    await api.delete(`/groups/${top.id}`);
    expect(await api.get(groupAt(top.fullPath))).toMatchObject(missing);
    expect(await api.get(projectAt(project.fullPath))).toMatchObject(missing);
    await world.until(async () => (await world.db.pathRedirect.count({ where: { namespaceId: top.id } })) === 0);
  });
});

describe('Several old paths', () => {
  it('all redirect to where the group is now', async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const before = [group.path];
    for (let n = 0; n < 3; n += 1) {
      const path = world.unique('chain');
      await api.put(`/groups/${group.id}`, { path });
      before.push(path);
    }
    const now = before.pop() ?? '';
    await api.put(`/groups/${inside.id}`, { path: 'end' });
    for (const path of before) {
      expect(await api.get(groupAt(path))).toMatchObject(moved(groupAt(now)));
      expect(await api.get(groupAt(`${path}/${inside.path}`))).toMatchObject(moved(groupAt(`${now}/end`)));
    }
    expect(await api.get(groupAt(`${now}/${inside.path}`))).toMatchObject(moved(groupAt(`${now}/end`)));
  });

  it('end when the group goes back', async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const path = world.unique('there');
    await api.put(`/groups/${group.id}`, { path });
    await api.put(`/groups/${group.id}`, { path: group.path });
    expect(await api.get(groupAt(group.path))).toMatchObject({ status: 200 });
    expect(await api.get(groupAt(inside.fullPath))).toMatchObject({ status: 200 });
    expect(await api.get(groupAt(path))).toMatchObject(moved(groupAt(group.path)));
    expect(await world.db.pathRedirect.findMany({ where: { path: group.path } })).toEqual([]);
  });

  it('survive the swap of two groups through a third path', async () => {
    const [one, two] = [await world.group({ owner }), await world.group({ owner })];
    const between = world.unique('between');
    for (const [id, path] of [
      [one.id, between],
      [two.id, one.path],
      [one.id, two.path],
    ] as const) {
      expect(await api.put(`/groups/${id}`, { path })).toMatchObject({ status: 200 });
    }
    expect(await api.get(groupAt(one.path))).toMatchObject({ status: 200, body: { id: two.id } });
    expect(await api.get(groupAt(two.path))).toMatchObject({ status: 200, body: { id: one.id } });
    expect(await api.get(groupAt(between))).toMatchObject(moved(groupAt(two.path)));
  });
});

describe('A project that is moved into a group and renamed with it', () => {
  it('is found from each of its old paths', LONG, async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner });
    await world.api(admin).post(`/groups/${group.id}/projects/${project.id}`);
    const path = world.unique('later');
    await api.put(`/groups/${group.id}`, { path });
    const now = moved(projectAt(`${path}/${project.path}`));
    expect(await api.get(projectAt(project.fullPath))).toMatchObject(now);
    expect(await api.get(projectAt(`${group.path}/${project.path}`))).toMatchObject(now);
  });

  it('gives way to a project that takes its old path by moving there', async () => {
    const [one, two] = [await world.group({ owner }), await world.group({ owner })];
    const path = world.unique('same');
    const first = await world.project({ owner, namespaceId: one.id, path, name: path });
    await world.api(admin).post(`/groups/${two.id}/projects/${first.id}`);
    const second = await world.project({ owner, path, name: path });
    await world.api(admin).post(`/groups/${one.id}/projects/${second.id}`);
    expect(await api.get(projectAt(`${one.path}/${path}`))).toMatchObject({ status: 200, body: { id: second.id } });
    await world.db.project.update({ where: { id: second.id }, data: { deletedAt: new Date() } });
    expect(await api.get(projectAt(`${one.path}/${path}`))).toMatchObject(missing);
  });
});

describe('The address of a redirect', () => {
  it('changes the ID and nothing that looks like it', async () => {
    const group = await world.group({ owner, path: 'v4' });
    await api.put(`/groups/${group.id}`, { path: 'v5' });
    expect(await api.get('/groups/v4/members?query=v4')).toMatchObject(moved('/groups/v5/members?query=v4'));
  });
});
