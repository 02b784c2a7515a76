// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const master = await world.user();
const developer = await world.user();
const external = await world.user({ external: true });

const KEYS = ['id', 'name', 'username', 'state', 'avatar_url', 'web_url', 'requested_at', 'created_at'];
const MEMBER_KEYS = [
  'id',
  'name',
  'username',
  'state',
  'locked',
  'public_email',
  'avatar_url',
  'web_url',
  'access_level',
  'expires_at',
  'created_at',
  'membership_state',
  'created_by',
];
const forbidden = { status: 403, body: { message: '403 Forbidden' } };
const none = { status: 404, body: { message: '404 Not found' } };
const ids = (list: Json[]) => list.map(({ id }) => id);

/** A project or group that takes requests, with a master and a developer, under the path of its kind. */
async function place(
  kind: 'projects' | 'groups',
  { visibility = 'public', open = true }: { visibility?: 'private' | 'internal' | 'public'; open?: boolean } = {},
) {
  const source: ProjectRow | GroupRow =
    kind === 'projects'
      ? await world.project({ owner, visibility, switches: { requestAccessEnabled: open } })
      : await world.group({ owner, visibility, requestAccessEnabled: open });
  await world.member(source, master, 'master');
  await world.member(source, developer, 'developer');
  const where = kind === 'projects' ? { projectId: source.id } : { namespaceId: source.id };
  const count = () => world.db.accessRequest.count({ where });
  return { id: source.id, base: `/${kind}/${source.id}`, at: `/${kind}/${source.id}/access_requests`, where, count };
}
const KINDS = ['projects', 'groups'] as const;
/** Who decides: masters of projects, owners of groups. */
const manager = { projects: master, groups: owner };
const asking = async (at: string) => {
  const user = await world.user();
  await world.api(user).post(at);
  return user;
};

describe.each(KINDS)('POST /%s/:id/access_requests', (kind) => {
  it('asks for access', async () => {
    const { at, count } = await place(kind);
    const user = await world.user();
    const { status, body } = await world.api(user).post(at);
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({ id: user.id, username: user.username, state: 'active' });
    expect(body.requested_at).toBe(body.created_at);
    expect(await count()).toBe(1);
  });

  it('is refused the second time, and to all but one who ask at the same time', async () => {
    const { at, count } = await place(kind);
    const user = await world.user();
    const answers = await Promise.all(Array.from({ length: 4 }, () => world.api(user).post(at)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect(await world.api(user).post(at)).toMatchObject({
      status: 400,
      body: { message: { user_id: ['already exists in source'] } },
    });
    expect(await count()).toBe(1);
  });

  it('is refused to members, and where requests are switched off', async () => {
    const { at, count } = await place(kind);
    for (const user of [developer, master, owner]) expect(await world.api(user).post(at)).toMatchObject(forbidden);
    const closed = await place(kind, { open: false });
    expect(await world.api(await world.user()).post(closed.at)).toMatchObject(forbidden);
    expect([await count(), await closed.count()]).toEqual([0, 0]);
  });

  it('is refused to who has access through a group around', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const inside = { visibility: 'public', owner } as const;
    const source =
      kind === 'projects'
        ? await world.project({ ...inside, namespaceId: group.id, switches: { requestAccessEnabled: true } })
        : await world.group({ ...inside, parentId: group.id, requestAccessEnabled: true });
    await world.member(group, developer, 'guest');
    expect(await world.api(developer).post(`/${kind}/${source.id}/access_requests`)).toMatchObject(forbidden);
  });

  it('needs to see the place, and an account', LONG, async () => {
    const hidden = await place(kind, { visibility: 'private' });
    expect(await world.api(await world.user()).post(hidden.at)).toMatchObject({ status: 404 });
    const internal = await place(kind, { visibility: 'internal' });
    expect(await world.api(external).post(internal.at)).toMatchObject({ status: 404 });
    expect(await world.api().post((await place(kind)).at)).toMatchObject({ status: 401 });
    expect([await hidden.count(), await internal.count()]).toEqual([0, 0]);
  });

  it('may be made again after an expired membership', async () => {
    const { at, where } = await place(kind);
    const user = await world.user();
    await world.db.member.create({
      data: { ...where, userId: user.id, accessLevel: 30, expiresAt: new Date(new Date().toISOString().slice(0, 10)) },
    });
    expect(await world.api(user).post(at)).toMatchObject({ status: 201 });
    expect(await world.api(manager[kind]).put(`${at}/${user.id}/approve`)).toMatchObject({ status: 201 });
    expect(await world.db.member.findFirst({ where: { ...where, userId: user.id } })).toMatchObject({
      expiresAt: null,
    });
  });
});

describe.each(KINDS)('GET /%s/:id/access_requests', (kind) => {
  it('lists open requests, oldest first, for those who decide', LONG, async () => {
    const { at } = await place(kind);
    const users = [await asking(at), await asking(at), await asking(at)];
    const { status, headers, body } = await world.api(manager[kind]).get(at);
    expect([status, headers['x-total'], ids(body)]).toEqual([200, '3', ids(users)]);
    for (const request of body) expect(Object.keys(request)).toEqual(KEYS);
    const second = await world.api(admin).get(`${at}?per_page=1&page=2`);
    expect([second.headers['x-total-pages'], ids(second.body)]).toEqual(['3', [users[1]?.id]]);
    const count = async (size: number) =>
      (await world.statements(() => world.api(manager[kind]).get(`${at}?per_page=${size}`))).length;
    await count(1); // The first request of a day notes the day.
    expect([await count(1), (await count(1)) <= 4]).toEqual([await count(100), true]);
  });

  it('is refused to others', async () => {
    const { at } = await place(kind);
    const requester = await asking(at);
    const others = kind === 'projects' ? [developer, requester, external] : [master, developer, requester, external];
    for (const user of others) expect(await world.api(user).get(at)).toMatchObject(forbidden);
    expect(await world.api().get(at)).toMatchObject({ status: 401 });
    const hidden = await place(kind, { visibility: 'private' });
    expect(await world.api(requester).get(hidden.at)).toMatchObject({ status: 404 });
  });
});

describe.each(KINDS)('PUT /%s/:id/access_requests/:user_id/approve', (kind) => {
  const api = world.api(manager[kind]);

  it('makes the user a member, as developer where nothing is said', async () => {
    const { at, base, count } = await place(kind);
    const [one, two, three] = [await asking(at), await asking(at), await asking(at)];
    const { status, body } = await api.put(`${at}/${one.id}/approve`);
    expect([status, Object.keys(body)]).toEqual([201, MEMBER_KEYS]);
    expect(body).toMatchObject({ id: one.id, access_level: 30, expires_at: null });
    expect(await api.put(`${at}/${two.id}/approve`, { access_level: 10 })).toMatchObject({
      status: 201,
      body: { access_level: 10 },
    });
    expect(await api.put(`${at}/${three.id}/approve`, { access_level: '' })).toMatchObject({
      body: { access_level: 30 },
    });
    expect(await count()).toBe(0);
    expect(await api.get(`${base}/members/${one.id}`)).toMatchObject({ status: 200, body: { access_level: 30 } });
    const joined = await world.db.event.count({ where: { authorId: one.id, action: 'joined' } });
    expect(joined).toBe(kind === 'projects' ? 1 : 0);
  });

  it('is done once, however many do it at the same time', async () => {
    const { at } = await place(kind);
    const user = await asking(at);
    const approve = () => api.put(`${at}/${user.id}/approve`);
    const answers = await Promise.all([approve(), approve(), approve()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    expect(await approve()).toMatchObject(none);
  });

  it('refuses levels that there are not, and unknown requests', LONG, async () => {
    const { at, base, count } = await place(kind);
    const user = await asking(at);
    for (const access_level of [0, 25, ...(kind === 'projects' ? [50] : [])]) {
      expect(await api.put(`${at}/${user.id}/approve`, { access_level })).toMatchObject({
        status: 400,
        body: { message: { access_level: ['is not included in the list'] } },
      });
    }
    expect(await api.put(`${at}/${user.id}/approve`, { access_level: 'x' })).toMatchObject({
      body: { error: 'access_level is invalid' },
    });
    expect(await api.put(`${at}/${external.id}/approve`)).toMatchObject(none);
    expect(await count()).toBe(1);
    expect(await api.get(`${base}/members/${user.id}`)).toMatchObject(none);
  });

  it('is refused to others, the requester included', async () => {
    const { at, count } = await place(kind);
    const user = await asking(at);
    const others = kind === 'projects' ? [developer, user, external] : [master, developer, user, external];
    for (const who of others) expect(await world.api(who).put(`${at}/${user.id}/approve`)).toMatchObject(forbidden);
    expect(await world.api().put(`${at}/${user.id}/approve`)).toMatchObject({ status: 401 });
    expect(await count()).toBe(1);
    expect(await world.api(admin).put(`${at}/${user.id}/approve`)).toMatchObject({ status: 201 });
  });
});

describe.each(KINDS)('DELETE /%s/:id/access_requests/:user_id', (kind) => {
  it('denies a request', async () => {
    const { at, base, count } = await place(kind);
    const user = await asking(at);
    const api = world.api(manager[kind]);
    expect(await api.delete(`${at}/${user.id}`)).toMatchObject({ status: 204, body: null });
    expect([await count(), (await api.get(`${base}/members/${user.id}`)).status]).toEqual([0, 404]);
    expect(await api.delete(`${at}/${user.id}`)).toMatchObject(none);
  });

  it('withdraws one’s own', async () => {
    const { at, count } = await place(kind);
    const user = await asking(at);
    expect(await world.api(user).delete(`${at}/${user.id}`)).toMatchObject({ status: 204 });
    expect(await count()).toBe(0);
    expect(await world.api(user).delete(`${at}/${user.id}`)).toMatchObject(none);
    expect(await world.api(user).post(at)).toMatchObject({ status: 201 });
  });

  it('is refused to others', async () => {
    const { at, count } = await place(kind);
    const user = await asking(at);
    const others = kind === 'projects' ? [developer, external] : [master, developer, external];
    for (const who of others) expect(await world.api(who).delete(`${at}/${user.id}`)).toMatchObject(forbidden);
    expect(await world.api().delete(`${at}/${user.id}`)).toMatchObject({ status: 401 });
    expect(await count()).toBe(1);
    expect(await world.api(admin).delete(`${at}/${user.id}`)).toMatchObject({ status: 204 });
  });
});

describe('Access requests in GraphQL', () => {
  const kinds: [string, 'projects' | 'groups', TestUser][] = [
    ['Project', 'projects', master],
    ['Group', 'groups', owner],
  ];
  it.each(kinds)('for a %s are made, read, approved and denied by the rules of REST', async (kind, plural, who) => {
    const { id } = await place(plural);
    const field = kind.toLowerCase();
    const [one, two] = [await world.user(), await world.user()];
    const run = async (name: string, input: object, selection: string, as: TestUser) => {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`;
      const query = `mutation ($input: ${type}) { ${name}(input: $input) { ${selection} } }`;
      const { body } = await world.graphql(query, { input: { [field]: id, ...input } }, as);
      return body.errors?.[0].extensions.code ?? body.data[name];
    };
    const request = 'accessRequest { userId username requestedAt }';
    expect(await run(`request${kind}Access`, {}, request, one)).toMatchObject({ accessRequest: { userId: one.id } });
    expect(await run(`request${kind}Access`, {}, request, one)).toBe('CONFLICT');
    expect(await run(`request${kind}Access`, {}, request, developer)).toBe('FORBIDDEN');
    await run(`request${kind}Access`, {}, request, two);
    const query = `query ($ref: ${kind}Ref!) { ${field}(ref: $ref) { accessRequests { totalCount nodes { user { username } } } } }`;
    const read = await world.graphql(query, { ref: id }, who);
    expect(read.body.data[field].accessRequests).toEqual({
      totalCount: 2,
      nodes: [{ user: { username: one.username } }, { user: { username: two.username } }],
    });
    expect((await world.graphql(query, { ref: id }, one)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const approve = `approve${kind}AccessRequest`;
    expect(await run(approve, { userId: one.id }, 'member { accessLevel }', one)).toBe('FORBIDDEN');
    expect(await run(approve, { userId: one.id }, 'member { accessLevel }', who)).toEqual({
      member: { accessLevel: 'DEVELOPER' },
    });
    const deny = `deny${kind}AccessRequest`;
    expect(await run(deny, { userId: two.id }, 'deniedUserId', developer)).toBe('FORBIDDEN');
    expect(await run(deny, { userId: two.id }, 'deniedUserId', two)).toEqual({
      deniedUserId: toGlobalId('User', two.id),
    });
    expect(await run(deny, { userId: two.id }, 'deniedUserId', who)).toBe('NOT_FOUND');
  });
});
