import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const admin = await world.user({ admin: true });
const at = `/users/${user.id}/impersonation_tokens`;
const asAdmin = world.api(admin);
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const forbidden = { status: 403, body: { message: '403 Forbidden' } };
const noToken = { status: 404, body: { message: '404 Impersonation Token Not Found' } };
const noUser = { status: 404, body: { message: '404 User Not Found' } };
const RECORD = [
  'id',
  'name',
  'revoked',
  'created_at',
  'description',
  'scopes',
  'user_id',
  'last_used_at',
  'active',
  'expires_at',
];
const KEYS = [...RECORD, 'impersonation'];
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('POST /users/:user_id/impersonation_tokens', () => {
  it('makes a token that acts as the user, shown this once and stored as a hash', async () => {
    const { status, body } = await asAdmin.post(at, { name: 'bot', scopes: ['api'], expires_at: day(3) });
    expect([status, Object.keys(body)]).toEqual([201, [...KEYS, 'token']]);
    expect(body).toMatchObject({
      name: 'bot',
      revoked: false,
      active: true,
      scopes: ['api'],
      expires_at: day(3),
      impersonation: true,
      token: expect.stringMatching(/^glpat-[A-Za-z0-9]{20}$/),
    });
    expect(await world.api(body.token).get('/user')).toMatchObject({ status: 200, body: { id: user.id } });
    const stored = await world.db.personalAccessToken.findUniqueOrThrow({ where: { id: body.id } });
    expect(JSON.stringify(stored)).not.toContain(body.token);
    const { body: again } = await asAdmin.get(`${at}/${body.id}`);
    expect(Object.keys(again)).toEqual(KEYS);
  });

  it('names what is missing or wrong', async () => {
    const cases: [object, object][] = [
      [{}, { error: 'name is missing' }],
      [{ name: 'x', expires_at: 'tomorrow' }, { error: 'expires_at is invalid' }],
      [{ name: 'x' }, { message: { scopes: ["can't be blank"] } }],
      [{ name: ' ', scopes: [] }, { message: { name: ["can't be blank"], scopes: ["can't be blank"] } }],
      [{ name: 'x', scopes: ['api', 'everything'] }, { message: { scopes: ['can only contain API scopes'] } }],
    ];
    const before = await world.db.personalAccessToken.count();
    for (const [given, body] of cases) {
      const answer = await asAdmin.post(at, given);
      expect([answer.status, answer.body]).toEqual([400, body]);
    }
    expect(await world.db.personalAccessToken.count()).toBe(before);
  });

  it('is for administrators with full reach, who are checked before the parameters', async () => {
    const before = await world.db.personalAccessToken.count();
    expect(await world.api(user).post(at, {})).toMatchObject(forbidden);
    expect(await world.api().post(at, {})).toMatchObject(refused);
    expect(await asAdmin.post('/users/999999/impersonation_tokens', { name: 'x', scopes: 'api' })).toMatchObject(
      noUser,
    );
    const reader = await world.token(admin, ['read_user']);
    expect(await world.api(reader).post(at, { name: 'x', scopes: ['api'] })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    });
    expect(await world.db.personalAccessToken.count()).toBe(before + 1);
  });
});

describe('GET /users/:user_id/impersonation_tokens', () => {
  it('lists by state, without the tokens and without those that the user made', LONG, async () => {
    const target = await world.user();
    const list = `/users/${target.id}/impersonation_tokens`;
    await world.token(target);
    const make = async (name: string, expires_at?: string) =>
      (await asAdmin.post(list, { name, scopes: ['read_user'], expires_at })).body;
    const [live, revoked] = [await make('live'), await make('revoked')];
    await make('expired today', day(0));
    await asAdmin.delete(`${list}/${revoked.id}`);
    const names = async (query: string) =>
      (await asAdmin.get(`${list}${query}`)).body.map((t: { name: string }) => t.name);
    expect(await names('')).toEqual(['live', 'revoked', 'expired today']);
    expect(await names('?state=all')).toEqual(['live', 'revoked', 'expired today']);
    expect(await names('?state=active')).toEqual(['live']);
    expect(await names('?state=inactive')).toEqual(['revoked', 'expired today']);
    const { headers, body } = await asAdmin.get(`${list}?per_page=1`);
    expect([headers['x-total'], headers['x-next-page']]).toEqual(['3', '2']);
    const { token: _, ...shown } = live;
    expect(body).toEqual([shown]);
    expect(await asAdmin.get(`${list}?state=old`)).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    });
  });

  it('is for administrators', async () => {
    expect(await world.api(user).get(at)).toMatchObject(forbidden);
    expect(await world.api().get(at)).toMatchObject(refused);
    expect(await asAdmin.get('/users/999999/impersonation_tokens')).toMatchObject(noUser);
    expect(await asAdmin.get('/users/x/impersonation_tokens')).toMatchObject({ status: 404 });
    expect(await asAdmin.get(`${at}/999999`)).toMatchObject(noToken);
  });
});

describe('DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id', () => {
  it('revokes the token at once', async () => {
    const { body } = await asAdmin.post(at, { name: 'doomed', scopes: ['api'] });
    expect(await world.api(body.token).delete(`${at}/${body.id}`)).toMatchObject(forbidden);
    expect(await asAdmin.delete(`${at}/${body.id}`)).toMatchObject({ status: 204, body: null });
    expect(await world.api(body.token).get('/user')).toMatchObject(refused);
    expect(await asAdmin.get(`${at}/${body.id}`)).toMatchObject({ body: { revoked: true, active: false } });
  });

  it('leaves tokens alone that the user made, and those of others', async () => {
    const own = await world.token(user);
    const { id } = await world.db.personalAccessToken.findFirstOrThrow({
      where: { userId: user.id, impersonation: false },
      orderBy: { id: 'desc' },
    });
    expect(await asAdmin.delete(`${at}/${id}`)).toMatchObject(noToken);
    const { body } = await asAdmin.post(at, { name: 'kept', scopes: ['api'] });
    expect(await asAdmin.delete(`/users/${admin.id}/impersonation_tokens/${body.id}`)).toMatchObject(noToken);
    for (const token of [own, body.token]) expect(await world.api(token).get('/user')).toMatchObject({ status: 200 });
  });

  it('does not count as the presence of the user', async () => {
    const target = await world.user();
    await world.db.user.update({ where: { id: target.id }, data: { lastActivityOn: null } });
    const made = await asAdmin.post(`/users/${target.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] });
    await world.api(made.body.token).get('/user');
    expect((await world.db.user.findUniqueOrThrow({ where: { id: target.id } })).lastActivityOn).toBeNull();
  });
});

describe('Personal access tokens in GraphQL', () => {
  const CREATE = `mutation ($input: CreatePersonalAccessTokenInput!) { createPersonalAccessToken(input: $input) {
    personalAccessToken { databaseId name scopes active expiresAt impersonation token } } }`;
  const LIST = '{ viewer { personalAccessTokens { totalCount nodes { databaseId name active token } } } }';

  it('are made, listed without the token, and revoked', async () => {
    const owner = await world.user();
    const input = { name: 'laptop', scopes: ['API', 'READ_USER', 'API'], expiresAt: day(5) };
    const { token, databaseId, ...rest } = (await world.graphql(CREATE, { input }, owner)).body.data
      .createPersonalAccessToken.personalAccessToken;
    expect(rest).toEqual({
      name: 'laptop',
      scopes: ['API', 'READ_USER'],
      active: true,
      expiresAt: day(5),
      impersonation: false,
    });
    expect(await world.api(token).get('/user')).toMatchObject({ status: 200, body: { id: owner.id } });
    const listed = async () => (await world.graphql(LIST, {}, owner)).body.data.viewer.personalAccessTokens;
    expect(await listed()).toEqual({
      totalCount: 1,
      nodes: [{ databaseId, name: 'laptop', active: true, token: null }],
    });
    const revoke = `mutation { revokePersonalAccessToken(input: {id: ${databaseId}}) {
      personalAccessToken { active revoked } } }`;
    expect((await world.graphql(revoke, {}, user)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await world.graphql(revoke, {}, owner)).body.data.revokePersonalAccessToken.personalAccessToken).toEqual({
      active: false,
      revoked: true,
    });
    expect(await world.api(token).get('/user')).toMatchObject(refused);
    expect((await listed()).nodes[0].active).toBe(false);
  });

  it('are made by credentials with full reach alone', async () => {
    const reader = { ...user, token: await world.token(user, ['read_user']) };
    const answer = await world.graphql(CREATE, { input: { name: 'more', scopes: ['API'] } }, reader);
    expect(answer.body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
    const anonymous = await world.graphql(CREATE, { input: { name: 'more', scopes: ['API'] } });
    expect(anonymous.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(await world.db.personalAccessToken.count({ where: { name: 'more' } })).toBe(0);
  });

  it('refuse names and scopes that are none', async () => {
    const { body } = await world.graphql(CREATE, { input: { name: '', scopes: [] } }, user);
    expect(body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.name': ["can't be blank"], 'input.scopes': ["can't be blank"] },
    });
    const unknown = await world.graphql(CREATE, { input: { name: 'x', scopes: ['EVERYTHING'] } }, user);
    expect(unknown.body.errors[0].extensions.fields).toEqual({
      'input.scopes.0': [expect.stringMatching(/^must be one of .*API, .*READ_USER, .*WRITE_REPOSITORY/)],
    });
  });

  it('are seen and revoked by administrators, and by no other user', async () => {
    const owner = await world.user();
    await world.token(owner);
    const list = `{ user(id: ${owner.id}) { personalAccessTokens { nodes { databaseId } } } }`;
    expect((await world.graphql(list, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const [{ databaseId }] = (await world.graphql(list, {}, admin)).body.data.user.personalAccessTokens.nodes;
    const revoke = `mutation { revokePersonalAccessToken(input: {userId: ${owner.id}, id: ${databaseId}}) {
      personalAccessToken { revoked } } }`;
    expect((await world.graphql(revoke, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await world.db.personalAccessToken.findUnique({ where: { id: databaseId } })).toMatchObject({
      revoked: false,
    });
    expect((await world.graphql(revoke, {}, admin)).body.errors).toBeUndefined();
  });

  it('that impersonate are for administrators', LONG, async () => {
    const create = `mutation { createImpersonationToken(input: {userId: ${user.id}, name: "x", scopes: [API]}) {
      personalAccessToken { databaseId impersonation token } } }`;
    expect((await world.graphql(create, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const { databaseId, impersonation } = (await world.graphql(create, {}, admin)).body.data.createImpersonationToken
      .personalAccessToken;
    expect(impersonation).toBe(true);
    const list = `{ user(id: ${user.id}) { impersonationTokens(state: ACTIVE) { nodes { databaseId } } } }`;
    expect((await world.graphql(list, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await world.graphql(list, {}, admin)).body.data.user.impersonationTokens.nodes).toContainEqual({
      databaseId,
    });
    const revoke = `mutation { revokeImpersonationToken(input: {userId: ${user.id}, id: ${databaseId}}) {
      personalAccessToken { revoked } } }`;
    expect((await world.graphql(revoke, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(
      (await world.graphql(revoke, {}, admin)).body.data.revokeImpersonationToken.personalAccessToken.revoked,
    ).toBe(true);
  });
});
