import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const as = world.api(admin);
const api = world.api(owner);
const project = await world.project({ owner, visibility: 'public' });
const other = await world.project({ owner, visibility: 'public' });
const group = await world.group({ owner });
const otherGroup = await world.group({ owner });
const owners = [
  ['users', owner.id, await world.user()],
  ['groups', group.id, otherGroup],
  ['projects', project.id, other],
] as const;
const value = world.unique('value');

beforeAll(async () => {
  for (const [kind, id, decoy] of owners) {
    await as.put(`/${kind}/${id}/custom_attributes/place`, { value });
    await as.put(`/${kind}/${id}/custom_attributes/tier`, { value: 'gold' });
    // Decoys: another value under the key, the value under another key, and half of what is asked for.
    await as.put(`/${kind}/${decoy.id}/custom_attributes/place`, { value: `${value}2` });
    await as.put(`/${kind}/${decoy.id}/custom_attributes/site`, { value });
  }
});

describe.each(owners)('Custom attributes of %s', (kind, id, decoy) => {
  const at = `/${kind}/${id}/custom_attributes`;

  it('are set, replaced, shown and removed by administrators', async () => {
    expect(await as.put(`${at}/cost.center_1-a`, { value: 'one' })).toMatchObject({
      status: 200,
      body: { key: 'cost.center_1-a', value: 'one' },
    });
    await as.put(`${at}/cost.center_1-a`, { value: 'two' });
    expect((await as.get(`${at}/cost.center_1-a`)).body).toEqual({ key: 'cost.center_1-a', value: 'two' });
    expect((await as.get(at)).body).toEqual([
      { key: 'place', value },
      { key: 'tier', value: 'gold' },
      { key: 'cost.center_1-a', value: 'two' },
    ]);
    expect((await as.delete(`${at}/cost.center_1-a`)).status).toBe(204);
    expect((await as.delete(`${at}/cost.center_1-a`)).status).toBe(404);
    expect((await as.get(`${at}/cost.center_1-a`)).status).toBe(404);
    const what = { users: 'User', groups: 'Group', projects: 'Project' }[kind];
    const told = await world.db.auditEvent.findMany({
      where: { targetName: `cost.center_1-a (${what} ${id})` },
      orderBy: { id: 'asc' },
    });
    // The logs of projects and groups have none of it, as others read them.
    expect(told.map(({ projectId, groupId, userId }) => [projectId, groupId, userId])).toEqual(
      Array.from({ length: 3 }, () => [null, null, null]),
    );
    expect(told).toMatchObject([
      { action: 'custom_attribute_created' },
      { action: 'custom_attribute_updated', attribute: 'value', oldValue: 'one', newValue: 'two' },
      { action: 'custom_attribute_deleted' },
    ]);
    expect((await as.put(`/${kind}/999999999/custom_attributes/a`, { value: 'x' })).status).toBe(404);
  });

  it('need a key that can be a name, and a value', async () => {
    for (const [key, given] of [
      ['12', 'x'],
      ['a%20b', 'x'],
      ['k'.repeat(256), 'x'],
      ['key', ' '],
      ['key', 'x'.repeat(256)],
    ] as const)
      expect((await as.put(`${at}/${key}`, { value: given })).status).toBe(400);
    expect((await as.put(`${at}/key`)).body).toEqual({ error: 'value is missing' });
    expect((await as.get(at)).body).toHaveLength(2);
  });

  it('are nothing that others read, set or learn by a filter', async () => {
    for (const [method, path] of [
      ['get', at],
      ['get', `${at}/place`],
      ['put', `${at}/place`],
      ['delete', `${at}/place`],
    ] as const) {
      expect((await api[method](path, { value: 'mine' })).status).toBe(403);
      expect((await world.api()[method](path, { value: 'mine' })).status).toBe(401);
    }
    expect((await as.get(`${at}/place`)).body.value).toBe(value);
    expect((await api.get(`/${kind}/${id}?with_custom_attributes=true`)).body).not.toHaveProperty('custom_attributes');
    const all = (await api.get(`/${kind}?per_page=100&with_custom_attributes=true`)).body;
    const filtered = (await api.get(`/${kind}?per_page=100&custom_attributes[place]=${value}`)).body;
    expect(filtered.map((one: Json) => one.id)).toEqual(all.map((one: Json) => one.id));
    expect(all.some((one: Json) => 'custom_attributes' in one)).toBe(false);
  });

  it('filter lists of administrators, and are in records that are asked for with them', async () => {
    const found = async (query: string) =>
      (await as.get(`/${kind}?per_page=100&${query}`)).body.map((one: Json) => one.id);
    expect(await found(`custom_attributes[place]=${value}`)).toEqual([id]);
    expect(await found(`custom_attributes[place]=${value}&custom_attributes[tier]=gold`)).toEqual([id]);
    expect(await found(`custom_attributes[site]=${value}`)).toEqual([decoy.id]);
    expect(await found(`custom_attributes[place]=${value}&custom_attributes[site]=${value}`)).toEqual([]);
    expect((await as.get(`/${kind}?custom_attributes=x`)).status).toBe(400);
    const many = Array.from({ length: 21 }, (_, n) => `custom_attributes[k${n}]=x`).join('&');
    expect((await as.get(`/${kind}?${many}`)).status).toBe(400);
    const whole = [
      { key: 'place', value },
      { key: 'tier', value: 'gold' },
    ];
    expect((await as.get(`/${kind}/${id}?with_custom_attributes=true`)).body.custom_attributes).toEqual(whole);
    expect((await as.get(`/${kind}/${id}`)).body).not.toHaveProperty('custom_attributes');
    const [listed] = (await as.get(`/${kind}?custom_attributes[place]=${value}&with_custom_attributes=true`)).body;
    expect(listed.custom_attributes).toEqual(whole);
  });
});

describe('Custom attributes', () => {
  const read = async (who: TestUser | undefined) =>
    (
      await world.graphql(
        `{ user(id: ${owner.id}) { customAttributes { value } } project(ref: ${project.id}) { customAttributes { value } }
           group(ref: ${group.id}) { customAttributes { value } } }`,
        {},
        who,
      )
    ).body.data;

  it('are null in GraphQL for all but administrators', async () => {
    const two = { customAttributes: [{ value }, { value: 'gold' }] };
    expect(await read(admin)).toEqual({ user: two, project: two, group: two });
    const none = { customAttributes: null };
    expect(await read(owner)).toEqual({ user: none, project: none, group: none });
  });

  it('are at most a hundred of each', async () => {
    const { id } = await world.user();
    const data = Array.from({ length: 100 }, (_, n) => ({ userId: id, key: `k${n}`, value: 'x' }));
    await world.db.customAttribute.createMany({ data });
    expect((await as.put(`/users/${id}/custom_attributes/k100`, { value: 'x' })).status).not.toBe(200);
    expect((await as.put(`/users/${id}/custom_attributes/k99`, { value: 'y' })).status).toBe(200);
  });

  it('end with what they are of', async () => {
    const { id } = await world.group({ owner });
    await as.put(`/groups/${id}/custom_attributes/a`, { value: 'x' });
    await world.db.namespace.delete({ where: { id } });
    expect(await world.db.customAttribute.count({ where: { namespaceId: id } })).toBe(0);
  });
});
