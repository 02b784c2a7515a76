import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { expireAuthorizations } from '#src/access/oauth/expire.ts';
import { updateApplication } from '#src/domain/applications/save.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { sender } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { application, code, exchange, post, signedIn, tokens } from '../support/oauth.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const app = await application(world, owner);
const user = await world.user();
const project = await world.project({ owner: user, visibility: 'private' });
const open = await world.project({ owner: user, visibility: 'public' });

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const get = (path: string, headers: Record<string, string> = {}) => world.send('GET', `/api/v4${path}`, { headers });
const viewer = (headers: Record<string, string>, query = '') =>
  world.send('POST', `/graphql${query}`, { headers, body: { query: '{ viewer { username } }' } });
const issue = async (who: TestUser, scope = 'api') => (await tokens(world, who, app, { scope })).access_token;
const expire = (token: string) => world.db.$executeRaw`
  UPDATE oauth_tokens SET expires_at = now() - interval '1 second'
  WHERE token_hash = sha256(${token}::text::bytea)`;
const challenge = (description: string) =>
  `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`;
const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.';
const REVOKED = 'Token was revoked. You have to re-authorize from the user.';

describe('An access token', () => {
  it('signs in in every place, in REST and in GraphQL', LONG, async () => {
    const token = await issue(user);
    for (const answer of [
      await get('/user', bearer(token)),
      await get('/user', { Authorization: `bearer ${token}` }),
      await get(`/user?access_token=${token}`),
      await get(`/user?bearer_token=${token}`),
    ]) {
      expect(answer).toMatchObject({ status: 200, body: { id: user.id } });
    }
    const created = await world.send('POST', '/api/v4/projects', { body: { access_token: token, name: 'by-token' } });
    expect(created.status).toBe(201);
    for (const answer of [await viewer(bearer(token)), await viewer({}, `?access_token=${token}`)]) {
      expect(answer.body.data.viewer.username).toBe(user.username);
    }
  });

  it('is found in one statement, as a private token is', LONG, async () => {
    const token = await issue(user);
    const count = async (headers: Record<string, string>) =>
      (await world.statements(() => get('/version', headers))).length;
    await get('/version', bearer(token));
    expect(await count(bearer(token))).toBe(await count({ 'PRIVATE-TOKEN': user.token }));
    expect(await count(bearer(token))).toBe(1);
  });

  it('is found by an index among many', LONG, async () => {
    await world.db.$executeRaw`
      INSERT INTO oauth_tokens (token_hash, kind, application_id, payload, expires_at)
      SELECT sha256(i::text::bytea), 'client', ${app.id}, '{}', now() + interval '1 hour' FROM generate_series(1, 20000) i`;
    await world.db.$executeRaw`ANALYZE oauth_tokens`;
    const statements = await world.statements(() => get('/version', bearer('x'.repeat(43))));
    const text = statements.find((statement) => statement.includes('oauth_tokens')) ?? '';
    const plan = await world.db.$queryRawUnsafe<object[]>(`EXPLAIN ${text.replaceAll(/\$\d+/g, "'\\x00'::bytea")}`);
    expect(JSON.stringify(plan)).toContain('oauth_tokens_pkey');
    expect(JSON.stringify(plan)).not.toContain('Seq Scan on oauth_tokens');
  });

  it('that is expired says so, in the words of RFC 6750', async () => {
    const token = await issue(user);
    await expire(token);
    for (const path of ['/user', '/issues', `/projects/${project.id}`, `/projects/${open.id}`, '/projects']) {
      const { status, body, headers } = await get(path, bearer(token));
      expect([status, body]).toEqual([401, { error: 'invalid_token', error_description: EXPIRED }]);
      expect(headers['www-authenticate']).toBe(challenge(EXPIRED));
    }
    const { body } = await viewer(bearer(token));
    expect(body.errors).toMatchObject([{ message: EXPIRED, extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('that was revoked says so', async () => {
    const token = await issue(user);
    await post(world, '/oauth/revoke', { token, client_id: app.uid, client_secret: app.secret });
    const { status, body, headers } = await get('/user', bearer(token));
    expect([status, body]).toEqual([401, { error: 'invalid_token', error_description: REVOKED }]);
    expect(headers['www-authenticate']).toBe(challenge(REVOKED));
    const create = await world.send('POST', '/api/v4/projects', { headers: bearer(token), body: { name: 'no' } });
    expect(create.status).toBe(401);
  });

  it('that is unknown is refused, on what is public, too', async () => {
    for (const token of ['nonsense', 'x'.repeat(43)]) {
      expect(await get('/user', bearer(token))).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
      expect((await get(`/projects/${open.id}`, bearer(token))).status).toBe(401);
    }
  });

  it('that is over does not stop another credential from being tried', async () => {
    const token = await issue(user);
    await expire(token);
    expect((await get('/user', { ...bearer(token), 'PRIVATE-TOKEN': user.token })).status).toBe(200);
    expect((await get(`/user?private_token=${token}`, bearer(user.token))).status).toBe(200);
  });

  it('takes no code and no refresh token for itself', async () => {
    const given = await code(await signedIn(world, user), app);
    expect((await get('/user', bearer(given))).status).toBe(401);
    const { body } = await exchange(world, app, given);
    expect((await get('/user', bearer(body.refresh_token))).status).toBe(401);
  });

  it('acts for nobody else', async () => {
    const token = await issue(admin);
    expect(await get(`/user?sudo=${user.id}`, bearer(token))).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - Private token must be specified in order to use sudo' },
    });
  });
});

describe('The scope of an access token', () => {
  const tooSmall = (scope: string) => ({
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope,
    },
  });

  it('read_user reaches the account and users, and nothing else', async () => {
    const headers = bearer(await issue(user, 'read_user'));
    expect((await get('/user', headers)).status).toBe(200);
    expect((await get(`/users/${owner.id}`, headers)).status).toBe(200);
    expect((await get('/version', headers)).status).toBe(200);
    for (const path of ['/issues', '/projects', `/projects/${open.id}`, `/projects/${project.id}/issues`]) {
      expect(await get(path, headers)).toMatchObject(tooSmall('api read_api'));
    }
    const created = await world.send('POST', `/api/v4/projects/${project.id}/issues`, {
      headers,
      body: { title: 'x' },
    });
    expect(created).toMatchObject(tooSmall('api'));
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
    expect((await viewer(headers)).body.data.viewer.username).toBe(user.username);
    const query = `{ project(ref: "${open.fullPath}") { name } }`;
    const { body } = await world.send('POST', '/graphql', { headers, body: { query } });
    expect(body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
  });

  it('openid reaches userinfo alone', LONG, async () => {
    const token = await issue(user, 'openid profile email');
    expect((await world.send('GET', '/oauth/userinfo', { headers: bearer(token) })).status).toBe(200);
    expect(await get('/user', bearer(token))).toMatchObject(tooSmall('api read_api read_user'));
    for (const path of ['/projects', `/projects/${open.id}`]) {
      expect(await get(path, bearer(token))).toMatchObject(tooSmall('api read_api'));
    }
    expect((await viewer(bearer(token))).body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE');
    const remote = `/${open.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await world.send('GET', remote, { headers: bearer(token) })).status).toBe(403);
  });

  it('api does not reach userinfo', async () => {
    const answer = await world.send('GET', '/oauth/userinfo', { headers: bearer(await issue(user)) });
    expect(answer).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });
});

describe('The git remote', () => {
  it('takes an access token as the password of the user oauth2', LONG, async () => {
    const token = await issue(user);
    const mine = await world.project({ owner: user, visibility: 'private' });
    const url = `${world.url.replace('//', `//oauth2:${token}@`)}/${mine.fullPath}.git`;
    const work = await workingCopy();
    const head = await commitFile(work, 'README.md', 'Hello\n');
    await run(work, 'push', '--quiet', url, 'main');
    expect(await run(await clone(url), 'rev-parse', 'HEAD')).toBe(head);
    await expire(token);
    const { code: status, said } = await gitClient(work, 'push', url, 'main:other');
    expect(status).not.toBe(0);
    expect(said).toMatch(/expired|Authentication failed|401/i);
  });

  it('takes none that is too small', async () => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`oauth2:${await issue(user, 'read_user')}`).toString('base64')}`,
    };
    const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await world.send('GET', path, { headers })).status).toBe(403);
  });
});

describe('What applications were given ends', () => {
  const given = async () => {
    const somebody = await world.user();
    const got = await tokens(world, somebody, app);
    const refresh = () =>
      post(world, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: got.refresh_token,
        client_id: app.uid,
        client_secret: app.secret,
      });
    return { somebody, got, refresh, use: () => get('/user', bearer(got.access_token)) };
  };

  it('when the user is blocked, and does not come back', async () => {
    const { somebody, refresh, use } = await given();
    await world.api(admin).post(`/users/${somebody.id}/block`);
    expect(await use()).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
    await world.api(admin).post(`/users/${somebody.id}/unblock`);
    expect((await use()).body.error_description).toBe(REVOKED);
    expect((await refresh()).body.error).toBe('invalid_grant');
    expect(await world.db.oAuthAuthorization.count({ where: { userId: somebody.id } })).toBe(0);
  });

  it('when the password changes', async () => {
    const { somebody, refresh, use } = await given();
    await world.graphql('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id } } }', {
      input: { login: somebody.username, currentPassword: PASSWORD, newPassword: 'another password' },
    });
    expect((await use()).body.error_description).toBe(REVOKED);
    expect((await refresh()).body.error).toBe('invalid_grant');
  });

  it('when the user is deleted', LONG, async () => {
    const { somebody, use } = await given();
    await world.api(admin).delete(`/users/${somebody.id}`);
    expect((await use()).status).toBe(401);
    expect(await world.db.oAuthToken.count({ where: { userId: somebody.id } })).toBe(0);
  });

  it('when the application is deleted, or may not ask for it any more', LONG, async () => {
    const small = await application(world, owner);
    const token = (await tokens(world, user, small, { scope: 'api' })).access_token;
    const less = (await tokens(world, user, small, { scope: 'read_user' })).access_token;
    await updateApplication(world.as(owner), small.id, { scopes: ['read_user'] });
    expect((await get('/user', bearer(token))).body.error_description).toBe(REVOKED);
    expect((await get('/user', bearer(less))).status).toBe(200);
    await world.db.oAuthApplication.delete({ where: { id: small.id } });
    expect((await get('/user', bearer(less))).status).toBe(401);
  });

  it('while it is being renewed: no token outlives the block', LONG, async () => {
    const { somebody, got } = await given();
    const fields = { grant_type: 'refresh_token', client_id: app.uid, client_secret: app.secret };
    const [answer] = await Promise.all([
      post(world, '/oauth/token', { ...fields, refresh_token: got.refresh_token }),
      world.api(admin).put(`/users/${somebody.id}`, { password: 'another password' }),
    ]);
    if (answer.status === 200) expect((await get('/user', bearer(answer.body.access_token))).status).toBe(401);
    const alive = await world.db.oAuthToken.count({ where: { userId: somebody.id, revokedAt: null } });
    expect(alive).toBe(0);
  });
});

describe('Several servers on one database', () => {
  it('share what applications were given', async () => {
    const server = createServer(createApp({ ...world.as(user), listeningUrl: () => world.url }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { send, close } = sender(port);
    try {
      const browser = await signedIn(world, user);
      const given = await code(browser, app);
      const there = { ...world, send } as typeof world;
      const { status, body } = await exchange(there, app, given);
      expect(status).toBe(200);
      expect((await get('/user', bearer(body.access_token))).status).toBe(200);
      const keys = await Promise.all([send('GET', '/oauth/keys'), world.send('GET', '/oauth/keys')]);
      expect(keys[0].body).toEqual(keys[1].body);
    } finally {
      close();
      server.close();
    }
  });
});

describe('The job that removes what is over', () => {
  it('keeps what is good, and for a week what its bearers are told of', async () => {
    const rows = () => world.db.oAuthToken.count();
    const got = await tokens(world, user, app);
    await expire(got.access_token);
    const before = await rows();
    await expireAuthorizations(world.db);
    expect(await rows()).toBe(before);
    await world.db.$executeRaw`
      UPDATE oauth_tokens SET expires_at = now() - interval '8 days' WHERE token_hash = sha256(${got.access_token}::text::bytea)`;
    await world.db.$executeRaw`UPDATE oauth_interactions SET expires_at = now()`;
    await expireAuthorizations(world.db);
    expect(await rows()).toBe(before - 1);
    expect(await world.db.oAuthInteraction.count()).toBe(0);
    expect((await get('/user', bearer(got.access_token))).body).toEqual({ message: '401 Unauthorized' });
  });

  it('takes grants from which nothing came', async () => {
    const data = { id: 'old', userId: user.id, applicationId: app.id, scopes: ['api'], createdAt: new Date(0) };
    await world.db.oAuthGrant.create({ data });
    const kept = await world.db.oAuthGrant.count({ where: { tokens: { some: {} } } });
    await expireAuthorizations(world.db);
    expect(await world.db.oAuthGrant.count({ where: { id: 'old' } })).toBe(0);
    expect(await world.db.oAuthGrant.count({ where: { tokens: { some: {} } } })).toBe(kept);
  });
});
