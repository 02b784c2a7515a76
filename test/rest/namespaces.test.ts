// One part in depth, which the long run has.
// @module-tag long
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
    expect(body[0]).toEqual({
      id: inside.id,
      name: 'Inside',
      path: 'inner',
      kind: 'group',
      full_path: 'tools/inner',
      parent_id: top.id,
      avatar_url: null,
      web_url: `${world.url}/groups/tools/inner`,
    });
    expect(body[2]).toMatchObject({ name: 'ben', path: 'ben', kind: 'user', full_path: 'ben', parent_id: null });
    expect(body[2]).toMatchObject({ web_url: `${world.url}/ben`, avatar_url: expect.stringContaining('avatar') });
    const keys = ['id', 'name', 'path', 'kind', 'full_path', 'parent_id', 'avatar_url', 'web_url'];
    for (const namespace of body) expect(Object.keys(namespace)).toEqual(keys);
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

describe('GET /namespaces with the filters of today', () => {
  it('lists what the caller owns, what is at the top, and what is found by full path', async () => {
    const [boss, worker] = [await world.user({ username: 'erin' }), await world.user({ username: 'fred' })];
    const upper = await world.group({ owner: boss, path: 'upper', name: 'Upper' });
    const lower = await world.group({ owner: boss, path: 'lower', name: 'Lower', parentId: upper.id });
    await world.member(lower, worker, 'owner');
    await world.member(open, worker, 'master');
    expect(await list(boss, '?owned_only=true')).toEqual(['upper/lower', 'upper', 'erin']);
    expect(await list(worker, '?owned_only=true')).toEqual(['upper/lower', 'fred']);
    expect(await list(worker)).toEqual(['upper/lower', 'fred', 'open']);
    expect(await list(boss, '?top_level_only=true')).toEqual(['upper', 'erin']);
    expect(await list(boss, '?search=upper')).toEqual(['upper']);
    expect(await list(boss, '?search=PER/lo&full_path_search=true')).toEqual(['upper/lower']);
    expect(await list(boss, '?search=tools/inner&full_path_search=true')).toEqual([]);
    expect(await list(admin, '?search=tools/inner&full_path_search=true')).toEqual(['tools/inner']);
  });

  it('tells owners how many people are in a group and below, each once and without bots', async () => {
    const boss = await world.user();
    const group = await world.group({ owner: boss });
    const below = await world.group({ owner: boss, parentId: group.id });
    const project = await world.project({ owner: boss, namespaceId: below.id });
    const [one, two, bot] = [await world.user(), await world.user(), await world.user()];
    await world.db.user.update({ where: { id: bot.id }, data: { bot: true } });
    await world.member(group, one, 'guest');
    await world.member(below, one, 'developer');
    await world.member(project, two, 'developer');
    await world.member(project, bot, 'developer');
    const key = 'members_count_with_descendants';
    expect((await world.api(boss).get(`/namespaces/${group.id}`)).body[key]).toBe(3);
    expect((await world.api(admin).get(`/namespaces/${group.id}`)).body[key]).toBe(3);
    expect((await world.api(one).get(`/namespaces/${group.id}`)).body).not.toHaveProperty(key);
    expect((await world.api(boss).get(`/namespaces/${boss.username}`)).body).not.toHaveProperty(key);
  });
});

describe('GET /namespaces/:id', () => {
  it('finds by number, by path and by username', async () => {
    const api = world.api(member);
    for (const ref of [inside.id, 'tools%2Finner', 'TOOLS%2FInner']) {
      expect(await api.get(`/namespaces/${ref}`)).toMatchObject({
        status: 200,
        body: { id: inside.id, full_path: 'tools/inner', kind: 'group', parent_id: top.id },
      });
    }
    expect(await api.get('/namespaces/ben')).toMatchObject({ status: 200, body: { kind: 'user', full_path: 'ben' } });
    const digits = await world.group({ owner: member, path: '987654' });
    expect((await api.get('/namespaces/987654')).body.id).toBe(digits.id);
  });

  it('answers 404 for what the caller is no member of, public or not, and 401 without a credential', async () => {
    const none = { status: 404, body: { message: '404 Namespace Not Found' } };
    for (const ref of [top.id, 'tools', 'open', 'ada', 'nothing', 999_999]) {
      expect(await world.api(outsider).get(`/namespaces/${ref}`)).toMatchObject(none);
    }
    for (const ref of ['open', 'ada', top.id])
      expect((await world.api(admin).get(`/namespaces/${ref}`)).status).toBe(200);
    expect(await world.api().get(`/namespaces/${top.id}`)).toMatchObject({ status: 401 });
  });
});

describe('GET /namespaces/:namespace/exists', () => {
  const ask = async (path: string, query = '', who = outsider) => {
    const { status, body } = await world.api(who).get(`/namespaces/${path}/exists${query}`);
    return status === 200 ? body : status;
  };

  it('tells of users and groups at the top, or in a parent group, and suggests a path', async () => {
    await world.group({ owner, path: 'tools1' });
    expect(await ask('tools')).toEqual({ exists: true, suggests: ['tools2'] });
    expect(await ask('ADA')).toEqual({ exists: true, suggests: ['ADA1'] });
    expect(await ask('inner')).toEqual({ exists: false, suggests: [] });
    expect(await ask('inner', `?parent_id=${top.id}`)).toEqual({ exists: true, suggests: ['inner1'] });
    expect(await ask('inner', `?parent_id=${open.id}`)).toEqual({ exists: false, suggests: [] });
    expect(await world.api().get('/namespaces/tools/exists')).toMatchObject({ status: 401 });
  });

  it('is not answered without end', async () => {
    const curious = await world.user();
    const answers: (number | object)[] = [];
    for (let count = 0; count < 40; count += 1) answers.push(await ask(`guess${count}`, '', curious));
    expect(answers).toContain(429);
    expect(await ask('guess', '', owner)).toEqual({ exists: false, suggests: [] });
  });
});
