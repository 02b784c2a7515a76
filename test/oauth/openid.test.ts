import crypto, { type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { currentKeys, ensureKeys, removeRetiredKeys, rotateKeys } from '#src/access/oauth/keys.ts';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { application, asks, authorize, code, decide, exchange, sentBack, signedIn, tokens } from '../support/oauth.ts';
import { SECRET, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const app = await application(world, owner);
const user = await world.user();
const get = (path: string, headers: Record<string, string> = {}) => world.send('GET', path, { headers });

async function verify(idToken: string) {
  const [head = '', body = '', signature = ''] = idToken.split('.');
  const { kid, alg } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const { body: set } = await get('/oauth/keys');
  const jwk = set.keys.find((key: { kid: string }) => key.kid === kid) as JsonWebKey | undefined;
  const good =
    jwk !== undefined &&
    alg === 'RS256' &&
    crypto.verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      crypto.createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    );
  return { good, kid, claims: JSON.parse(Buffer.from(body, 'base64url').toString()) };
}

/** What applications learn with the scope `openid` alone. */
const known = {
  sub: String(user.id),
  name: `Name of ${user.username}`,
  preferred_username: user.username,
  nickname: user.username,
  profile: `${world.url}/${user.username}`,
  email: null,
  groups: [],
  groups_direct: [],
};

describe('An ID token', () => {
  it('says for whom the application was let in, signed with a key of the server', LONG, async () => {
    const browser = await signedIn(world, user);
    const given = await code(browser, app, { scope: 'openid', nonce: 'my nonce' });
    const { body } = await exchange(world, app, given);
    const { good, claims } = await verify(body.id_token);
    expect(good).toBe(true);
    expect(claims).toEqual({
      iss: world.url,
      aud: app.uid,
      ...known,
      nonce: 'my nonce',
      iat: expect.any(Number),
      exp: claims.iat + 3600,
    });
    const all = await tokens(world, user, app, { scope: 'openid email' });
    expect((await verify(all.id_token ?? '')).claims).toMatchObject({
      email: `${user.username}@example.org`,
      email_verified: true,
    });
  });

  it('says when the user signed in, if the application asked how long ago that may be', LONG, async () => {
    const { id_token: idToken = '' } = await tokens(world, user, app, { scope: 'openid', max_age: '600' });
    const { claims } = await verify(idToken);
    expect(Math.abs(claims.auth_time - Date.now() / 1000)).toBeLessThan(60);
  });

  it('is for who asked for openid alone', async () => {
    expect(await tokens(world, user, app, { scope: 'api' })).not.toHaveProperty('id_token');
  });
});

describe('GET /oauth/userinfo', () => {
  const ask = async (scope: string) => {
    const { access_token: token } = await tokens(world, user, app, { scope });
    return get('/oauth/userinfo', { Authorization: `Bearer ${token}` });
  };

  it('tells what the user let the application know', LONG, async () => {
    expect((await ask('openid')).body).toEqual(known);
    expect((await ask('openid email')).body).toEqual({
      ...known,
      email: `${user.username}@example.org`,
      email_verified: true,
    });
    expect((await ask('openid profile')).body).toEqual({ ...known, updated_at: expect.any(Number) });
  });

  it('is answered to POST too', async () => {
    const { access_token: token } = await tokens(world, user, app, { scope: 'openid' });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await world.send('POST', '/oauth/userinfo', { headers, body: `access_token=${token}` });
    expect(answer.body).toEqual(known);
  });

  it('tells nobody else anything', async () => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }, { 'PRIVATE-TOKEN': user.token }]) {
      const answer = await get('/oauth/userinfo', headers as Record<string, string>);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token']);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    }
  });
});

describe('Discovery', () => {
  it('says where everything is, at both addresses', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const { status, body } = await get(path);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        issuer: world.url,
        authorization_endpoint: `${world.url}/oauth/authorize`,
        token_endpoint: `${world.url}/oauth/token`,
        revocation_endpoint: `${world.url}/oauth/revoke`,
        introspection_endpoint: `${world.url}/oauth/introspect`,
        userinfo_endpoint: `${world.url}/oauth/userinfo`,
        jwks_uri: `${world.url}/oauth/keys`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: [
          'api',
          'read_api',
          'read_user',
          'read_repository',
          'write_repository',
          'create_runner',
          'manage_runner',
          'sudo',
          'openid',
          'profile',
          'email',
        ],
        id_token_signing_alg_values_supported: ['RS256'],
      });
      // Answers name their issuer where openid is asked for: clients must not refuse the others.
      expect(body).not.toHaveProperty('authorization_response_iss_parameter_supported');
      expect(new Set(body.grant_types_supported)).toEqual(
        new Set([
          'authorization_code',
          'refresh_token',
          'password',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:device_code',
        ]),
      );
    }
  });

  it('believes nothing of what requests say of where they went', async () => {
    const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      expect(JSON.stringify((await get(path, forged)).body)).not.toContain('evil');
      expect((await get(`http://evil.example${path}`)).body.issuer).toBe(world.url);
    }
    const browser = await signedIn(world, user);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.uid,
      redirect_uri: app.redirectUris[0] ?? '',
    });
    await browser.get(`/oauth/authorize?${query}&prompt=consent`, forged);
    expect(browser.answer.headers.location).toMatch(/^\/oauth\/interaction\//);
    await authorize(browser, { client_id: app.uid, prompt: 'consent', scope: 'openid' });
    expect(asks(browser)).toBe(true);
    expect(sentBack(await decide(browser, 'approve')).iss).toBe(world.url);
  });
});

describe('Scripts of other sites', () => {
  const origin = { Origin: 'https://spa.example' };
  const open = { 'access-control-allow-origin': 'https://spa.example' };

  it('may use the endpoints for programs', async () => {
    for (const path of [
      '/oauth/token',
      '/oauth/revoke',
      '/oauth/userinfo',
      '/oauth/keys',
      '/.well-known/openid-configuration',
    ]) {
      const headers = {
        ...origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      };
      const answer = await world.send('OPTIONS', path, { headers });
      expect(answer.status).toBe(204);
      expect(answer.headers).toMatchObject({ ...open, 'access-control-allow-headers': 'authorization,content-type' });
    }
    for (const path of ['/oauth/userinfo', '/oauth/token/info', '/oauth/keys', '/.well-known/openid-configuration']) {
      expect((await get(path, origin)).headers).toMatchObject(open);
    }
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      for (const body of ['grant_type=client_credentials', '{']) {
        const type = body === '{' ? 'application/json' : 'application/x-www-form-urlencoded';
        const answer = await world.send('POST', path, { headers: { ...origin, 'Content-Type': type }, body });
        expect(answer.status).toBe(400);
        expect(answer.headers).toMatchObject(open);
      }
    }
  });

  it('may not use the pages, and never get cookies sent along', async () => {
    const browser = new Browser(world.send);
    for (const path of ['/oauth/authorize', '/oauth/interaction/x', '/oauth/userinfo', '/oauth/token/info']) {
      const { headers } = await browser.get(path, origin);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      if (!/info$/.test(path)) expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('The keys', () => {
  it('that are public have no private part', async () => {
    const { body, headers } = await get('/oauth/keys');
    expect(body.keys).toHaveLength(1);
    expect(Object.keys(body.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(headers['cache-control']).toBe('public, max-age=300');
  });

  it('are made once, however many servers start', async () => {
    await Promise.all([1, 2, 3].map(() => ensureKeys(world.db, SECRET)));
    expect(await world.db.oAuthKey.count({ where: { retiredAt: null } })).toBe(2);
  });

  it('are encrypted under the secret of the server', async () => {
    await expect(currentKeys(world.db, 'another secret')).rejects.toThrow(/gantry keys rotate/);
    const rows = await world.db.oAuthKey.findMany();
    for (const { encrypted } of rows) expect(Buffer.from(encrypted).toString('latin1')).not.toContain('"kty"');
  });

  it('are replaced by a command: what the old ones signed is believed until it is over', LONG, async () => {
    const before = await tokens(world, user, app, { scope: 'openid' });
    const browser = await signedIn(world, user);
    await authorize(browser, { client_id: app.uid, prompt: 'consent' });
    await rotateKeys(world.db, SECRET);
    expect(sentBack(await decide(browser, 'approve'))).toHaveProperty('code');
    const after = await tokens(world, user, app, { scope: 'openid' });
    const [old, renewed] = [await verify(before.id_token ?? ''), await verify(after.id_token ?? '')];
    expect([old.good, renewed.good]).toEqual([true, true]);
    expect(renewed.kid).not.toBe(old.kid);
    await world.db.$executeRaw`
      UPDATE oauth_keys SET retired_at = now() - interval '2 hours' WHERE retired_at IS NOT NULL`;
    expect((await verify(before.id_token ?? '')).good).toBe(false);
    expect((await verify(after.id_token ?? '')).good).toBe(true);
    await removeRetiredKeys(world.db);
    expect(await world.db.oAuthKey.count()).toBe(2);
  });

  it('are made anew by the same command after the secret of the server was changed', LONG, async () => {
    await rotateKeys(world.db, 'another secret');
    expect((await currentKeys(world.db, 'another secret')).signing).toHaveLength(1);
    await rotateKeys(world.db, SECRET);
    expect((await currentKeys(world.db, SECRET)).signing).toHaveLength(2);
    expect(await tokens(world, user, app, { scope: 'openid' })).toHaveProperty('id_token');
  });

  it('are replaced as a whole, however many replace them', LONG, async () => {
    await Promise.all([1, 2, 3].map(() => rotateKeys(world.db, SECRET)));
    expect(await world.db.oAuthKey.count({ where: { retiredAt: null } })).toBe(2);
  });
});
