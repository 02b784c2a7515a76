// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/** people-and-projects.md 3, and its rules 2, 5 and 6. */
const world = await startWorld();
const user = await world.user();
const admin = await world.user({ admin: true });
const KEYS = [
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
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const made = async (owner: TestUser, given: object = {}) =>
  (
    await world
      .api(admin)
      .post(`/users/${owner.id}/personal_access_tokens`, { name: 'script', scopes: ['api'], ...given })
  ).body;
const idOf = async (token: string) => (await world.api(token).get('/personal_access_tokens/self')).body.id;

describe('GET /personal_access_tokens', () => {
  it('lists the tokens of the caller alone, and for administrators those of everybody or of one user', async () => {
    const [owner, other] = [await world.user(), await world.user()];
    const [own, others] = [await made(owner), await made(other)];
    await world.api(admin).post(`/users/${owner.id}/impersonation_tokens`, { name: 'decoy', scopes: ['api'] });
    const { body } = await world.api(owner).get('/personal_access_tokens');
    const { token: _, ...shown } = own;
    expect(body).toEqual([shown]);
    expect(Object.keys(body[0])).toEqual(KEYS);
    expect(await world.api(owner).get(`/personal_access_tokens?user_id=${other.id}`)).toMatchObject(refused);
    expect(await world.api().get('/personal_access_tokens')).toMatchObject(refused);
    const ids = async (query: string) =>
      (await world.api(admin).get(`/personal_access_tokens?per_page=100${query}`)).body.map(
        ({ id }: { id: number }) => id,
      );
    expect(await ids('')).toEqual(expect.arrayContaining([own.id, others.id]));
    expect(await ids(`&user_id=${other.id}`)).toEqual([others.id]);
  });

  it('filters by state, revocation, name, times and days, and sorts', async () => {
    const owner = await world.user();
    const names = async (query: string) =>
      (await world.api(owner).get(`/personal_access_tokens?${query}`)).body.map(({ name }: { name: string }) => name);
    const old = await made(owner, { name: 'Backup', expires_at: day(30) });
    const used = await made(owner, { name: 'deploy', expires_at: day(10) });
    const gone = await made(owner, { name: 'archive' });
    await world.api(owner).delete(`/personal_access_tokens/${gone.id}`);
    const set = (id: number, data: object) => world.db.personalAccessToken.update({ where: { id }, data });
    await set(old.id, { createdAt: new Date('2026-01-01T00:00:00Z'), lastUsedAt: new Date('2026-02-01T00:00:00Z') });
    await set(used.id, { lastUsedAt: new Date('2026-03-01T00:00:00Z') });
    expect(await names('')).toEqual(['Backup', 'deploy', 'archive']);
    expect(await names('state=active')).toEqual(['Backup', 'deploy']);
    expect(await names('state=inactive')).toEqual(['archive']);
    expect(await names('revoked=true')).toEqual(['archive']);
    expect(await names('revoked=false')).toEqual(['Backup', 'deploy']);
    expect(await names('search=EPLO')).toEqual(['deploy']);
    expect(await names('created_before=2026-01-01T00:00:00Z')).toEqual(['Backup']);
    expect(await names('created_after=2026-01-02T00:00:00Z')).toEqual(['deploy', 'archive']);
    expect(await names('last_used_before=2026-02-15T00:00:00Z')).toEqual(['Backup']);
    expect(await names('last_used_after=2026-02-15T00:00:00Z')).toEqual(['deploy']);
    expect(await names(`expires_before=${day(10)}`)).toEqual(['deploy']);
    expect(await names(`expires_after=${day(11)}`)).toEqual(['Backup']);
    expect(await names('sort=created_desc')).toEqual(['archive', 'deploy', 'Backup']);
    expect(await names('sort=expires_asc')).toEqual(['deploy', 'Backup', 'archive']);
    expect(await names('sort=last_used_desc')).toEqual(['archive', 'deploy', 'Backup']);
    expect((await names('sort=name_asc')).toSorted()).toEqual(['Backup', 'archive', 'deploy']);
    expect(await world.api(owner).get('/personal_access_tokens?sort=size')).toMatchObject({
      status: 400,
      body: { error: 'sort does not have a valid value' },
    });
  });
});

describe('GET /personal_access_tokens/:id', () => {
  it('shows tokens to their owner and to administrators; others cannot tell them from missing ones', async () => {
    const { id } = await made(user);
    const other = await world.user();
    expect(await world.api(user).get(`/personal_access_tokens/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await world.api(admin).get(`/personal_access_tokens/${id}`)).toMatchObject({ status: 200 });
    for (const number of [id, 2_000_000_000]) {
      expect(await world.api(other).get(`/personal_access_tokens/${number}`)).toMatchObject(refused);
      expect(await world.api(other).delete(`/personal_access_tokens/${number}`)).toMatchObject(refused);
      expect(await world.api(other).post(`/personal_access_tokens/${number}/rotate`, {})).toMatchObject(refused);
    }
    expect(await world.api(admin).get('/personal_access_tokens/2000000000')).toMatchObject({ status: 404 });
    expect(await world.api(user).get(`/personal_access_tokens/${id}`)).toMatchObject({ body: { active: true } });
  });
});

describe('The token of the request', () => {
  it('is shown and revoked with any scope, and reaches nothing else by that', async () => {
    const token = await world.token(user, ['read_repository']);
    const { status, body } = await world.api(token).get('/personal_access_tokens/self');
    expect([status, Object.keys(body), body.scopes]).toEqual([200, KEYS, ['read_repository']]);
    expect(await world.api(token).get('/personal_access_tokens')).toMatchObject({ status: 403 });
    expect(await world.api(token).post('/personal_access_tokens/self/rotate', {})).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api self_rotate' },
    });
    expect(await world.api(token).delete('/personal_access_tokens/self')).toMatchObject({ status: 204, body: null });
    expect(await world.api(token).get('/personal_access_tokens/self')).toMatchObject({ status: 401 });
  });

  it('is none of these where the credential is another one', async () => {
    expect(await world.api(user).get('/personal_access_tokens/self')).toMatchObject({ status: 400 });
    expect(await world.api(user).post('/personal_access_tokens/self/rotate', {})).toMatchObject({ status: 405 });
    expect(await world.api().get('/personal_access_tokens/self')).toMatchObject({ status: 401 });
  });
});

describe('Rotation', () => {
  it('replaces a token by one with the same name, description and scopes, for a week unless a day is named', async () => {
    const first = await made(user, { name: 'ci', description: 'Builds', scopes: ['read_api', 'self_rotate'] });
    const rotated = await world.api(first.token).post('/personal_access_tokens/self/rotate', {});
    expect([rotated.status, Object.keys(rotated.body)]).toEqual([200, [...KEYS, 'token']]);
    expect(rotated.body).toMatchObject({
      name: 'ci',
      description: 'Builds',
      scopes: ['read_api', 'self_rotate'],
      user_id: user.id,
      expires_at: day(7),
      active: true,
    });
    expect(rotated.body.id).not.toBe(first.id);
    expect(await world.api(first.token).get('/version')).toMatchObject({ status: 401 });
    expect(await world.api(rotated.body.token).get('/version')).toMatchObject({ status: 200 });
    const named = await world.api(user).post(`/personal_access_tokens/${rotated.body.id}/rotate`, {
      expires_at: day(90),
    });
    expect(named.body).toMatchObject({ expires_at: day(90) });
    expect(
      await world.api(user).post(`/personal_access_tokens/${named.body.id}/rotate`, { expires_at: day(-1) }),
    ).toMatchObject({ status: 400, body: { message: { expires_at: ['must be in the future'] } } });
    expect(await world.api(user).get(`/personal_access_tokens/${named.body.id}`)).toMatchObject({
      body: { active: true },
    });
  });

  it('of a token that was revoked before, by its number or with itself, ends what took its place and nothing else', async () => {
    const decoy = await made(user);
    for (const again of ['by its number', 'with itself']) {
      const first = await made(user);
      const second = (await world.api(user).post(`/personal_access_tokens/${first.id}/rotate`, {})).body;
      const third = (await world.api(user).post(`/personal_access_tokens/${second.id}/rotate`, {})).body;
      expect(await world.api(third.token).get('/user')).toMatchObject({ status: 200 });
      if (again === 'with itself') {
        expect(await world.api(first.token).post('/personal_access_tokens/self/rotate', {})).toMatchObject({
          status: 401,
        });
      } else {
        expect(await world.api(user).post(`/personal_access_tokens/${first.id}/rotate`, {})).toMatchObject({
          status: 400,
        });
      }
      expect(await world.api(third.token).get('/user')).toMatchObject({ status: 401 });
    }
    expect(await world.api(decoy.token).get('/user')).toMatchObject({ status: 200 });
  });

  it('of a token that has only been used after its revocation ends nothing', async () => {
    const first = await made(user);
    const second = (await world.api(user).post(`/personal_access_tokens/${first.id}/rotate`, {})).body;
    expect(await world.api(first.token).get('/user')).toMatchObject({ status: 401 });
    expect(await world.api(second.token).get('/user')).toMatchObject({ status: 200 });
  });

  it('happens once where two ask for it at the same time', async () => {
    const first = await made(user);
    const answers = await Promise.all(
      [1, 2].map(() => world.api(user).post(`/personal_access_tokens/${first.id}/rotate`, {})),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('of an expired token is refused', async () => {
    const old = await made(user, { expires_at: day(0) });
    expect(await world.api(user).post(`/personal_access_tokens/${old.id}/rotate`, {})).toMatchObject({
      status: 400,
      body: { message: 'The token has expired' },
    });
  });

  it('is not for OAuth tokens, nor for tokens with less than the scope api', async () => {
    const { id } = await made(user);
    const reader = await world.token(user, ['read_api', 'self_rotate']);
    expect(await world.api(reader).post(`/personal_access_tokens/${id}/rotate`, {})).toMatchObject({ status: 403 });
  });
});

describe('Making tokens over REST', () => {
  it('gives a user no token with more access than nothing, and administrators any for others', async () => {
    const own = await world.api(user).post('/user/personal_access_tokens', {
      name: 'rotator',
      scopes: ['self_rotate'],
      description: 'Rotates itself',
    });
    expect([own.status, Object.keys(own.body)]).toEqual([201, [...KEYS, 'token']]);
    expect(own.body).toMatchObject({ description: 'Rotates itself', user_id: user.id });
    expect(await world.api(own.body.token).get('/user')).toMatchObject({ status: 403 });
    for (const scopes of [['api'], ['self_rotate', 'read_user']]) {
      expect(await world.api(user).post('/user/personal_access_tokens', { name: 'x', scopes })).toMatchObject({
        status: 400,
        body: { error: 'scopes does not have a valid value' },
      });
    }
    expect(
      await world.api(user).post(`/users/${user.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] }),
    ).toMatchObject({ status: 403 });
    expect(
      await world.api(admin).post('/users/999999/personal_access_tokens', { name: 'x', scopes: ['api'] }),
    ).toMatchObject({ status: 404, body: { message: '404 User Not Found' } });
    const { token } = await made(user, { scopes: 'read_user' });
    expect(await world.api(token).get('/user')).toMatchObject({ status: 200, body: { id: user.id } });
  });

  it('names what is wrong', async () => {
    const at = `/users/${user.id}/personal_access_tokens`;
    for (const [given, body] of [
      [{ scopes: ['api'] }, { error: 'name is missing' }],
      [{ name: 'x' }, { error: 'scopes is missing' }],
      [{ name: 'x', scopes: ['all'] }, { message: { scopes: ['can only contain API scopes'] } }],
      // Of administrators alone.
      [{ name: 'x', scopes: ['sudo'] }, { message: { scopes: ['can only contain API scopes'] } }],
      [{ name: 'x', scopes: ['api'], expires_at: day(-1) }, { message: { expires_at: ['must be in the future'] } }],
      [
        { name: 'x', scopes: ['api'], description: 'x'.repeat(256) },
        { message: { description: ['is too long (maximum is 255 characters)'] } },
      ],
    ]) {
      expect(await world.api(admin).post(at, given)).toMatchObject({ status: 400, body });
    }
  });
});

describe('The scope sudo', () => {
  const asUser = { Sudo: user.username };
  const get = (token: string, headers: object = asUser) =>
    world.send('GET', '/api/v4/user', { headers: { 'PRIVATE-TOKEN': token, ...headers } });

  it('lets the token of an administrator act as others, within its other scopes', async () => {
    const full = await world.token(admin, ['api', 'sudo']);
    expect(await get(full)).toMatchObject({ status: 200, body: { id: user.id } });
    expect(await get(full, { sudo: String(user.id) })).toMatchObject({ body: { id: user.id } });
    const reader = await world.token(admin, ['read_user', 'sudo']);
    expect(await get(reader)).toMatchObject({ status: 200, body: { id: user.id } });
    const post = await world.send('POST', '/api/v4/projects', {
      headers: { 'PRIVATE-TOKEN': reader, ...asUser },
      body: { name: 'sudo' },
    });
    expect(post).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    expect(await get(await world.token(admin, ['sudo']))).toMatchObject({ status: 403 });
  });

  it('is needed by tokens with scopes, and ends with the rights of the administrator', async () => {
    expect(await get(await world.token(admin, ['api']))).toMatchObject({ status: 403 });
    const former = await world.user({ admin: true });
    const token = await world.token(former, ['api', 'sudo']);
    await world.db.user.update({ where: { id: former.id }, data: { admin: false } });
    expect(await get(token)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - Must be admin to use sudo' },
    });
  });
});

describe('The scopes of runners', () => {
  it('create and manage runners, in REST and in GraphQL, and do nothing else', async () => {
    const project = await world.project({ owner: user });
    const creator = await world.token(user, ['create_runner']);
    const manager = await world.token(user, ['manage_runner']);
    const given = { runner_type: 'project_type', project_id: project.id };
    const runner = (await world.api(creator).post('/user/runners', given)).body;
    expect(runner.token).toMatch(/^glrt-/);
    expect(await world.api(manager).post('/user/runners', given)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api create_runner' },
    });
    expect(await world.api(manager).get(`/runners/${runner.id}`)).toMatchObject({
      status: 200,
      body: { id: runner.id },
    });
    expect(await world.api(manager).put(`/runners/${runner.id}`, { description: 'new' })).toMatchObject({
      status: 200,
    });
    expect(await world.api(creator).get(`/runners/${runner.id}`)).toMatchObject({ status: 403 });
    for (const token of [creator, manager]) {
      expect(await world.api(token).get(`/projects/${project.id}`)).toMatchObject({ status: 403 });
      expect(await world.api(token).get('/user')).toMatchObject({ status: 403 });
    }
  });

  it('read in GraphQL only values of the runner, not what lies behind it', LONG, async () => {
    const project = await world.project({ owner: user });
    const creator = { ...user, token: await world.token(user, ['create_runner']) };
    const create = (selection: string) =>
      world.graphql(
        `mutation { createRunner(input: {runnerType: PROJECT_TYPE, project: "${project.id}"}) { ${selection} } }`,
        {},
        creator,
      );
    const before = await world.db.runner.count();
    const behind = await create('runner { allProjects { name } }');
    expect(behind.body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
    expect(await world.db.runner.count()).toBe(before);
    expect((await create('runner { databaseId }')).body.errors).toBeUndefined();
    const both = await world.graphql(
      `mutation { createRunner(input: {runnerType: PROJECT_TYPE, project: "${project.id}"}) { token }
        starProject(input: {project: "${project.id}"}) { __typename } }`,
      {},
      creator,
    );
    expect(both.body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
  });
});

describe('In GraphQL', () => {
  it('tokens tell their user, and are rotated and revoked by themselves', async () => {
    const token = await world.token(user);
    const own = { ...user, token };
    const CURRENT = '{ currentAccessToken { databaseId user { username } } }';
    const { databaseId } = (await world.graphql(CURRENT, {}, own)).body.data.currentAccessToken;
    expect(databaseId).toBe(await idOf(token));
    const ROTATE = `mutation { rotateCurrentAccessToken(input: {expiresAt: null}) {
      personalAccessToken { databaseId expiresAt token user { username } } } }`;
    const { personalAccessToken } = (await world.graphql(ROTATE, {}, own)).body.data.rotateCurrentAccessToken;
    expect(personalAccessToken).toMatchObject({ expiresAt: null, user: { username: user.username } });
    expect((await world.graphql(CURRENT, {}, own)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const next = { ...user, token: personalAccessToken.token };
    const revoked = await world.graphql(
      'mutation { revokeCurrentAccessToken(input: {}) { revokedPersonalAccessTokenId } }',
      {},
      next,
    );
    expect(revoked.body.errors).toBeUndefined();
    expect((await world.graphql(CURRENT, {}, next)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});
