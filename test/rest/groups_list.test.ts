// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { GROUP_KEYS } from '../support/records.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const member = await world.user();
const outsider = await world.user();
const external = await world.user({ external: true });
const admin = await world.user({ admin: true });
const top = await world.group({ owner, name: 'beta', path: 'z-top' });
const inside = await world.group({ owner, name: 'alpha', path: 'inside', parentId: top.id });
const open = await world.group({ owner: admin, name: 'gamma open', path: 'a-open', visibility: 'public' });
const internal = await world.group({ owner: admin, name: 'delta', path: 'internal-one', visibility: 'internal' });
await world.member(top, member, 'guest');
const list = async (who: TestUser, query = '') => names((await world.api(who).get(`/groups${query}`)).body);

const names = (list: Json[]) => list.map(({ name }) => name);

describe('GET /groups', () => {
  it('lists the groups of which the caller is a member, directly or through a group around, by name', async () => {
    const { status, headers, body } = await world.api(member).get('/groups');
    expect([status, headers['x-total'], names(body)]).toEqual([200, '2', ['alpha', 'beta']]);
    for (const group of body) expect(Object.keys(group)).toEqual(GROUP_KEYS);
    expect(body[0]).toEqual({
      created_at: expect.any(String),
      project_creation_level: 'maintainer',
      share_with_group_lock: false,
      max_artifacts_size: null,
      subgroup_creation_level: 'owner',
      id: inside.id,
      name: 'alpha',
      path: 'inside',
      description: '',
      visibility: 'private',
      lfs_enabled: true,
      avatar_url: null,
      web_url: `${world.url}/groups/z-top/inside`,
      request_access_enabled: false,
      wiki_access_level: 'enabled',
      full_name: 'beta / alpha',
      full_path: 'z-top/inside',
      parent_id: top.id,
    });
  });

  it('lists all that the caller sees when asked for all available', async () => {
    expect(await list(outsider)).toEqual([]);
    expect(await list(outsider, '?all_available=true')).toEqual(['delta', 'gamma open']);
    expect(await list(external, '?all_available=true')).toEqual(['gamma open']);
    expect(await list(member, '?all_available=true')).toEqual(['alpha', 'beta', 'delta', 'gamma open']);
  });

  it('lists all groups for administrators', async () => {
    expect(await list(admin)).toEqual(['alpha', 'beta', 'delta', 'gamma open']);
    expect(await list(admin, '?all_available=false')).toEqual(['alpha', 'beta', 'delta', 'gamma open']);
  });

  it('narrows to owned groups, for administrators too', async () => {
    expect(await list(owner, '?owned=true')).toEqual(['alpha', 'beta']);
    expect(await list(member, '?owned=true&all_available=true')).toEqual([]);
    expect(await list(admin, '?owned=true')).toEqual(['delta', 'gamma open']);
  });

  it('orders by name or path, either way', async () => {
    expect(await list(admin, '?order_by=path')).toEqual(['gamma open', 'alpha', 'delta', 'beta']);
    expect(await list(admin, '?order_by=path&sort=desc')).toEqual(['beta', 'delta', 'alpha', 'gamma open']);
    expect(await list(admin, '?order_by=name&sort=desc')).toEqual(['gamma open', 'delta', 'beta', 'alpha']);
  });

  it('leaves out groups', async () => {
    const query = `?skip_groups[]=${top.id}&skip_groups[]=${open.id}&skip_groups[]=99999`;
    expect(await list(admin, query)).toEqual(['alpha', 'delta']);
    expect(await list(admin, `?skip_groups=${internal.id}`)).toEqual(['alpha', 'beta', 'gamma open']);
  });

  it('answers a search in name or path with whole records', async () => {
    const { body, headers } = await world.api(admin).get('/groups?search=INSIDE');
    expect(headers['x-total']).toBe('1');
    expect(body).toMatchObject([{ id: inside.id, name: 'alpha', path: 'inside', description: '' }]);
    expect(Object.keys(body[0])).toEqual(GROUP_KEYS);
    expect(await list(admin, '?search=ma%20OP')).toEqual(['gamma open']);
    expect(await list(admin, '?search=%25')).toEqual([]);
    expect(await list(outsider, '?search=alpha&all_available=true')).toEqual([]);
    const [blank] = (await world.api(admin).get('/groups?search=%20')).body;
    expect(Object.keys(blank)).toEqual(GROUP_KEYS);
  });

  it('pages', async () => {
    const { headers, body } = await world.api(admin).get('/groups?per_page=2&page=2');
    expect([names(body), headers['x-total'], headers['x-prev-page']]).toEqual([['delta', 'gamma open'], '4', '1']);
  });

  it('adds statistics for administrators, and ignores the wish of others', async () => {
    const project = await world.project({ owner: admin, namespaceId: open.id });
    const gone = await world.project({ owner: admin, namespaceId: open.id });
    const sizes = { repositorySize: 5_000_000_000, lfsObjectsSize: 20, jobArtifactsSize: 3 };
    for (const { id } of [project, gone]) {
      await world.db.projectCounters.update({ where: { projectId: id }, data: sizes });
    }
    await world.db.project.update({ where: { id: gone.id }, data: { deletedAt: new Date() } });
    const { body } = await world.api(admin).get('/groups?statistics=true');
    for (const group of body) expect(Object.keys(group)).toEqual([...GROUP_KEYS, 'statistics']);
    expect(body.at(-1).statistics).toEqual({
      storage_size: 5_000_000_023,
      repository_size: 5_000_000_000,
      lfs_objects_size: 20,
      job_artifacts_size: 3,
      packages_size: 0,
      container_registry_size: 0,
      uploads_size: 0,
      wiki_size: 0,
      snippets_size: 0,
    });
    expect(body[0].statistics).toEqual({
      storage_size: 0,
      repository_size: 0,
      lfs_objects_size: 0,
      job_artifacts_size: 0,
      packages_size: 0,
      container_registry_size: 0,
      uploads_size: 0,
      wiki_size: 0,
      snippets_size: 0,
    });
    for (const group of (await world.api(member).get('/groups?statistics=true')).body) {
      expect(Object.keys(group)).toEqual(GROUP_KEYS);
    }
    const one = async (who: typeof admin, query: string) =>
      (await world.api(who).get(`/groups/${open.id}${query}`)).body.statistics;
    expect(await one(admin, '?statistics=true')).toEqual(body.at(-1).statistics);
    expect([await one(admin, ''), await one(member, '?statistics=true')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['?order_by=size', 'order_by does not have a valid value'],
    ['?sort=up', 'sort does not have a valid value'],
    ['?owned=perhaps', 'owned is invalid'],
    ['?skip_groups[]=x', 'skip_groups is invalid'],
    ['?statistics=2&all_available=x', 'all_available is invalid, statistics is invalid'],
  ])('refuses %s', async (query, error) => {
    expect(await world.api(admin).get(`/groups${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('takes blank parameters for absent ones', async () => {
    const query = '?owned=&all_available=&statistics=&order_by=&sort=&skip_groups=&search=';
    expect(await list(member, query)).toEqual(['alpha', 'beta']);
  });

  it('asks for a credential', async () => {
    expect(await world.api().get('/groups?all_available=true')).toMatchObject({ status: 401 });
  });

  it('takes the same few statements however many groups there are', async () => {
    const count = async (query: string) =>
      (await world.statements(() => world.api(admin).get(`/groups${query}`))).length;
    await count(''); // The first request of a day notes the day.
    expect(await count('?per_page=1&statistics=true')).toBe(await count('?per_page=100&statistics=true'));
    expect(await count('?per_page=100')).toBeLessThanOrEqual(3);
  });
});
