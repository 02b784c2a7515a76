import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user({ username: 'ada' });
const member = await world.user({ username: 'ben' });
const outsider = await world.user({ username: 'cleo' });
const admin = await world.user({ admin: true, username: 'dora' });
const top = await world.group({ owner, name: 'The top', path: 'tools' });
const inside = await world.group({ owner, name: 'Inside', path: 'inner', parentId: top.id });
const open = await world.group({ owner: admin, name: 'Open', path: 'open', visibility: 'public' });
await world.member(top, member, 'guest');

const paths = (list: Json[]) => list.map(({ full_path }) => full_path);
const list = async (who: TestUser, query = '') => paths((await world.api(who).get(`/namespaces${query}`)).body);

describe('GET /namespaces', () => {
  it('lists the personal namespace and the groups of the caller, newest first', async () => {
    const { status, headers, body } = await world.api(member).get('/namespaces');
    expect([status, headers['x-total'], paths(body)]).toEqual([200, '3', ['tools/inner', 'tools', 'ben']]);
    expect(body[0]).toEqual({ id: inside.id, name: 'Inside', path: 'inner', kind: 'group', full_path: 'tools/inner' });
    expect(body[2]).toMatchObject({ name: 'ben', path: 'ben', kind: 'user', full_path: 'ben' });
    for (const namespace of body) expect(Object.keys(namespace)).toEqual(['id', 'name', 'path', 'kind', 'full_path']);
    expect(await list(outsider)).toEqual(['cleo']);
  });

  it('lists all for administrators', async () => {
    expect(await list(admin)).toEqual(['open', 'tools/inner', 'tools', 'dora', 'cleo', 'ben', 'ada']);
  });

  it('searches name and path, whatever their case', async () => {
    expect(await list(member, '?search=TOP')).toEqual(['tools']);
    expect(await list(member, '?search=INNER')).toEqual(['tools/inner']);
    expect(await list(member, '?search=open')).toEqual([]);
    expect(await list(member, '?search=_')).toEqual([]);
    expect(await list(admin, '?search=o')).toEqual(['open', 'tools', 'dora', 'cleo']);
    expect(await list(member, '?search=')).toHaveLength(3);
  });

  it('pages, in the same few statements however many there are', async () => {
    const { headers, body } = await world.api(admin).get('/namespaces?per_page=2&page=2');
    expect([paths(body), headers['x-total'], headers['x-total-pages']]).toEqual([['tools', 'dora'], '7', '4']);
    const count = async (size: number) =>
      (await world.statements(() => world.api(admin).get(`/namespaces?per_page=${size}`))).length;
    await count(1); // The first request of a day notes the day.
    expect([await count(1), await count(100)]).toEqual([2, 2]);
  });

  it('leaves out deleted groups, expired memberships, and asks for a credential', async () => {
    const gone = await world.group({ owner: outsider });
    const today = new Date(new Date().toISOString().slice(0, 10));
    await world.db.member.create({
      data: { namespaceId: open.id, userId: outsider.id, accessLevel: 30, expiresAt: today },
    });
    await world.api(outsider).delete(`/groups/${gone.id}`);
    expect(await list(outsider)).toEqual(['cleo']);
    expect(await world.api().get('/namespaces')).toMatchObject({ status: 401 });
  });

  it('has the same list in GraphQL', async () => {
    const query = '{ namespaces(search: "n") { totalCount nodes { fullPath kind } } }';
    const { body } = await world.graphql(query, {}, member);
    expect(body.data.namespaces).toEqual({
      totalCount: 2,
      nodes: [
        { fullPath: 'tools/inner', kind: 'GROUP' },
        { fullPath: 'ben', kind: 'USER' },
      ],
    });
    expect((await world.graphql(query)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});
