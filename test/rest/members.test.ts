import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { day, forbidden, KINDS, noMember, startMemberWorld } from '../support/members.ts';

const { world, owner, admin, master, developer, outsider, place } = await startMemberWorld();
const external = await world.user({ external: true });

const KEYS = [
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
];
const outOfList = { status: 400, body: { message: { access_level: ['is not included in the list'] } } };
const ids = (list: Json[]) => list.map(({ id }) => id);
/** Who administers the members: masters of projects, owners of groups. */
const manager = { projects: master, groups: owner };

describe.each(KINDS)('GET /%s/:id/members', (kind) => {
  it('lists direct members, newest users first, with exactly the keys of the contract', async () => {
    const { at } = await place(kind);
    const { status, headers, body } = await world.api(developer).get(at);
    expect([status, headers['x-total'], ids(body)]).toEqual([200, '3', [developer.id, master.id, owner.id]]);
    for (const member of body) expect(Object.keys(member)).toEqual(KEYS);
    expect(body[0]).toMatchObject({
      username: developer.username,
      name: `Name of ${developer.username}`,
      state: 'active',
      web_url: `${world.url}/${developer.username}`,
      access_level: 30,
      expires_at: null,
    });
    expect(body[2].access_level).toBe(kind === 'projects' ? 40 : 50);
  });

  it('searches name and username, and for administrators the e-mail address', async () => {
    const { at, source } = await place(kind);
    const special = await world.user({ username: world.unique('special') });
    await world.member(source, special, 'guest');
    const data = { name: 'Zoë 100%', email: `${special.username}@elsewhere.test` };
    await world.db.user.update({ where: { id: special.id }, data });
    const found = async (query: string, who = developer) => {
      const { headers, body } = await world.api(who).get(`${at}?query=${query}`);
      expect(headers['x-total']).toBe(String(body.length));
      return ids(body);
    };
    for (const query of ['ZO%C3%AB', '100%25', 'SPECIAL']) {
      expect([query, await found(query)]).toEqual([query, [special.id]]);
    }
    expect(await found('elsewhere.TEST', admin)).toEqual([special.id]);
    // Anybody else would learn whose a private address is.
    const address = `${special.username}@elsewhere.TEST`;
    for (const part of ['elsewhere.TEST', `${special.username}@`, address]) {
      expect([part, await found(part)]).toEqual([part, []]);
    }
    await world.db.user.update({ where: { id: special.id }, data: { publicEmail: address.toLowerCase() } });
    expect(await found(address)).toEqual([special.id]);
    expect(await found('nobody%25')).toEqual([]);
    expect(await found('')).toHaveLength(4);
  });

  it('pages, and takes the same few statements however many there are', async () => {
    const { at } = await place(kind);
    const { headers, body } = await world.api(developer).get(`${at}?per_page=1&page=2`);
    expect([headers['x-total'], headers['x-total-pages'], ids(body)]).toEqual(['3', '3', [master.id]]);
    const count = async (size: number) =>
      (await world.statements(() => world.api(developer).get(`${at}?per_page=${size}`))).length;
    await count(1); // The first request of a day notes the day.
    expect([await count(1), (await count(1)) <= 4]).toEqual([await count(100), true]);
  });

  it('leaves out expired members, requesters and inherited members', async () => {
    const { at, where } = await place(kind);
    const [expired, requester] = [await world.user(), await world.user()];
    const today = new Date(day(0));
    await world.db.member.create({ data: { ...where, userId: expired.id, accessLevel: 40, expiresAt: today } });
    await world.db.accessRequest.create({ data: { ...where, userId: requester.id } });
    const { headers, body } = await world.api(developer).get(at);
    expect([headers['x-total'], ids(body)]).toEqual(['3', [developer.id, master.id, owner.id]]);
    for (const { id } of [expired, requester]) {
      expect(await world.api(developer).get(`${at}/${id}`)).toMatchObject(noMember);
    }
  });

  it('is open to those who see the place, and signed in', LONG, async () => {
    const open = await place(kind, 'public');
    expect(await world.api(outsider).get(open.at)).toMatchObject({ status: 200 });
    expect(await world.api(external).get(open.at)).toMatchObject({ status: 200 });
    expect(await world.api().get(open.at)).toMatchObject({ status: 401 });
    const inner = await place(kind, 'internal');
    expect(await world.api(external).get(inner.at)).toMatchObject({ status: 404 });
    const hidden = await place(kind);
    expect(await world.api(outsider).get(hidden.at)).toMatchObject({ status: 404 });
    expect(await world.api(admin).get(hidden.at)).toMatchObject({ status: 200 });
  });
});

describe('GET /groups/:id/members', () => {
  it('is open to those who see a private group for a project inside', async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    const user = await world.user();
    await world.member(project, user, 'guest');
    expect(await world.api(user).get(`/groups/${group.id}/members`)).toMatchObject({
      status: 200,
      body: [{ id: owner.id }],
    });
    expect(await world.api(user).get(`/groups/${group.id}/members/${owner.id}`)).toMatchObject({ status: 200 });
    expect(await world.api(user).get(`/groups/${group.id}/access_requests`)).toMatchObject(forbidden);
  });
});

describe.each(KINDS)('GET /%s/:id/members/:user_id', (kind) => {
  it('gives one member', async () => {
    const { at, where } = await place(kind);
    await world.db.member.updateMany({ where: { ...where, userId: master.id }, data: { expiresAt: new Date(day(3)) } });
    const { status, body } = await world.api(developer).get(`${at}/${master.id}`);
    expect([status, Object.keys(body)]).toEqual([200, KEYS]);
    expect(body).toMatchObject({ id: master.id, access_level: 40, expires_at: day(3) });
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('answers 404 for who is no direct member, and 400 for what is no ID', async () => {
    const { at } = await place(kind, 'public');
    expect(await world.api(developer).get(`${at}/${outsider.id}`)).toMatchObject(noMember);
    expect(await world.api(developer).get(`${at}/999999`)).toMatchObject(noMember);
    expect(await world.api(developer).get(`${at}/x`)).toMatchObject({
      status: 400,
      body: { error: 'user_id is invalid' },
    });
    expect(await world.api().get(`${at}/${master.id}`)).toMatchObject({ status: 401 });
  });
});

describe.each(KINDS)('POST /%s/:id/members', (kind) => {
  const api = world.api(manager[kind]);

  it('adds a member', async () => {
    const { at, levels } = await place(kind);
    const user = await world.user();
    const given = { user_id: user.id, access_level: 20, expires_at: day(1) };
    const { status, body } = await api.post(at, given);
    expect([status, Object.keys(body)]).toEqual([201, [...KEYS, 'created_by']]);
    expect(body).toMatchObject({
      id: user.id,
      username: user.username,
      access_level: 20,
      expires_at: day(1),
      membership_state: 'active',
      created_by: { id: manager[kind].id, username: manager[kind].username },
    });
    expect(await levels()).toContainEqual([user.id, 20]);
    expect(await world.api(user).get(at)).toMatchObject({ status: 200 });
  });

  it('settles the request for access of the new member', async () => {
    const { at, where } = await place(kind, 'public');
    const user = await world.user();
    await world.db.accessRequest.create({ data: { ...where, userId: user.id } });
    expect(await api.post(at, { user_id: user.id, access_level: 30 })).toMatchObject({ status: 201 });
    expect(await world.db.accessRequest.count({ where: { userId: user.id } })).toBe(0);
  });

  it('refuses who is a member already', async () => {
    const { at, levels } = await place(kind);
    const before = await levels();
    const taken = { status: 409, body: { message: 'Member already exists' } };
    expect(await api.post(at, { user_id: developer.id, access_level: 40 })).toMatchObject(taken);
    expect(await api.post(at, { user_id: developer.id, access_level: 7 })).toMatchObject(taken);
    expect(await levels()).toEqual(before);
  });

  it('adds a user once, however many ask at the same time', async () => {
    const { at } = await place(kind);
    const user = await world.user();
    const ask = () => api.post(at, { user_id: user.id, access_level: 30 });
    const statuses = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409, 409]);
  });

  it('replaces a membership that has expired', async () => {
    const { at, where } = await place(kind);
    const user = await world.user();
    const expired = { ...where, userId: user.id, accessLevel: 40, expiresAt: new Date(day(0)) };
    await world.db.member.create({ data: expired });
    expect(await api.post(at, { user_id: user.id, access_level: 10 })).toMatchObject({
      status: 201,
      body: { access_level: 10, expires_at: null },
    });
  });

  it.each([
    [{}, { error: 'user_id is missing, access_level is missing' }],
    [{ user_id: 'x', access_level: 'high' }, { error: 'user_id is invalid, access_level is invalid' }],
    [{ user_id: '', access_level: 30 }, { error: 'user_id is invalid' }],
    [{ user_id: 999_999, access_level: 30 }, { message: { invite_email: ['is invalid'] } }],
    [
      { user_id: 'outsider', access_level: 30, expires_at: 'soon' },
      { error: 'user_id is invalid, expires_at is invalid' },
    ],
  ])('refuses %j', async (given, body) => {
    const { at, levels } = await place(kind);
    const before = await levels();
    const answer = await api.post(at, given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await levels()).toEqual(before);
  });

  it('refuses levels that there are not', async () => {
    const { at, levels } = await place(kind);
    const before = await levels();
    for (const access_level of [0, 5, 15, 60, -10, 2 ** 40, ...(kind === 'projects' ? [50] : [])]) {
      expect(await api.post(at, { user_id: outsider.id, access_level })).toMatchObject(outOfList);
    }
    expect(await levels()).toEqual(before);
  });

  it('takes a day in the past, and gives nothing from the day on', async () => {
    const { at } = await place(kind);
    for (const expires_at of [day(-400), day(-1), day(0)]) {
      const user = await world.user();
      expect(await api.post(at, { user_id: user.id, access_level: 30, expires_at })).toMatchObject({
        status: 201,
        body: { expires_at },
      });
      expect(await world.api(user).get(at)).toMatchObject({ status: 404 });
      expect(await api.get(`${at}/${user.id}`)).toMatchObject(noMember);
    }
  });

  it('is for those who administer the members', async () => {
    const { at, levels } = await place(kind, 'public');
    const before = await levels();
    const refused = kind === 'projects' ? [developer, outsider, external] : [master, developer, outsider, external];
    const given = { user_id: external.id, access_level: 10 };
    for (const user of refused) expect(await world.api(user).post(at, given)).toMatchObject(forbidden);
    expect(await world.api().post(at, given)).toMatchObject({ status: 401 });
    expect(await world.api(outsider).post((await place(kind)).at, given)).toMatchObject({ status: 404 });
    expect(await levels()).toEqual(before);
    expect(await world.api(admin).post(at, given)).toMatchObject({ status: 201 });
  });
});

describe.each(KINDS)('PUT /%s/:id/members/:user_id', (kind) => {
  const api = world.api(manager[kind]);

  it('changes the level, and the day where one is given', async () => {
    const { at } = await place(kind);
    const put = (given: object) => api.put(`${at}/${developer.id}`, given);
    const { status, body } = await put({ access_level: 20, expires_at: day(5) });
    expect([status, Object.keys(body)]).toEqual([200, KEYS]);
    expect(body).toMatchObject({ id: developer.id, access_level: 20, expires_at: day(5) });
    expect((await put({ access_level: 10 })).body).toMatchObject({ access_level: 10, expires_at: day(5) });
    expect((await put({ access_level: 10, expires_at: '' })).body).toMatchObject({ expires_at: null });
  });

  it('refuses bad values', async () => {
    const { at, levels } = await place(kind);
    const before = await levels();
    const put = (given: object, who: number | string = developer.id) => api.put(`${at}/${who}`, given);
    expect(await put({})).toMatchObject({ status: 400, body: { error: 'access_level is missing' } });
    expect(await put({ expires_at: day(1) })).toMatchObject({
      status: 400,
      body: { error: 'access_level is missing' },
    });
    expect(await put({ access_level: 33 })).toMatchObject(outOfList);
    expect(await put({ access_level: 30, expires_at: '2030-02-30' })).toMatchObject({
      status: 400,
      body: { error: 'expires_at is invalid' },
    });
    expect(await put({ access_level: 30 }, outsider.id)).toMatchObject(noMember);
    expect(await levels()).toEqual(before);
  });

  it('takes a day in the past, which ends the membership', async () => {
    const { at } = await place(kind);
    expect(await api.put(`${at}/${developer.id}`, { access_level: 30, expires_at: day(-1) })).toMatchObject({
      status: 200,
      body: { expires_at: day(-1) },
    });
    expect(await api.get(`${at}/${developer.id}`)).toMatchObject(noMember);
  });

  it('is for those who administer the members', async () => {
    const { at, levels } = await place(kind, 'public');
    const before = await levels();
    const refused = kind === 'projects' ? [developer, outsider] : [master, developer, outsider];
    for (const user of refused) {
      expect(await world.api(user).put(`${at}/${developer.id}`, { access_level: 40 })).toMatchObject(forbidden);
    }
    expect(await world.api().put(`${at}/${developer.id}`, { access_level: 40 })).toMatchObject({ status: 401 });
    expect(await levels()).toEqual(before);
    expect(await world.api(admin).put(`${at}/${developer.id}`, { access_level: 40 })).toMatchObject({ status: 200 });
  });
});

describe.each(KINDS)('DELETE /%s/:id/members/:user_id', (kind) => {
  const api = world.api(manager[kind]);

  it('removes a member, whose access ends', async () => {
    const { at } = await place(kind);
    expect(await world.api(developer).get(at)).toMatchObject({ status: 200 });
    expect(await api.delete(`${at}/${developer.id}`)).toMatchObject({ status: 204, body: null });
    expect(await world.api(developer).get(at)).toMatchObject({ status: 404 });
    expect(await api.delete(`${at}/${developer.id}`)).toMatchObject(noMember);
  });

  it('lets members leave', async () => {
    const { at } = await place(kind);
    expect(await world.api(developer).delete(`${at}/${developer.id}`)).toMatchObject({ status: 204 });
    expect(await world.api(master).delete(`${at}/${master.id}`)).toMatchObject({ status: 204 });
  });

  it('is for those who administer the members otherwise', async () => {
    const { at, levels } = await place(kind, 'public');
    const before = await levels();
    const refused = kind === 'projects' ? [developer, outsider] : [master, developer, outsider];
    const other = { [developer.id]: master, [master.id]: developer };
    for (const user of refused) {
      const target = other[user.id] ?? master;
      expect(await world.api(user).delete(`${at}/${target.id}`)).toMatchObject(forbidden);
    }
    expect(await world.api(outsider).delete(`${at}/${outsider.id}`)).toMatchObject(noMember);
    expect(await world.api().delete(`${at}/${developer.id}`)).toMatchObject({ status: 401 });
    expect(await levels()).toEqual(before);
    expect(await world.api(admin).delete(`${at}/${developer.id}`)).toMatchObject({ status: 204 });
  });
});
