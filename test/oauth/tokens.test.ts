// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import {
  application,
  bearer,
  CALLBACK,
  code,
  exchange,
  post,
  refused,
  signedIn,
  startTokenWorld,
  tokens,
} from '../support/oauth.ts';

const { world, owner, app, publicApp, user, client, whoami, refresh, password } = await startTokenWorld();

describe('A refresh token', () => {
  it('gives new tokens and is replaced itself', LONG, async () => {
    const first = await tokens(world, user, app);
    const { status, body } = await refresh(first.refresh_token);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 7200,
      refresh_token: expect.any(String),
      scope: 'api',
      created_at: expect.any(Number),
    });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    for (const token of [first.access_token, body.access_token]) expect((await whoami(token)).status).toBe(200);
  });

  it('that is used again ends all that came of it', async () => {
    const first = await tokens(world, user, app);
    const { body } = await refresh(first.refresh_token);
    expect(await refresh(first.refresh_token)).toMatchObject(refused(400, 'invalid_grant'));
    for (const token of [first.access_token, body.access_token]) expect((await whoami(token)).status).toBe(401);
    expect(await refresh(body.refresh_token)).toMatchObject(refused(400, 'invalid_grant'));
  });

  it('that is used several times at once gives nothing that lasts', LONG, async () => {
    const first = await tokens(world, user, app);
    const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(first.refresh_token)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const { body } of good) {
      expect((await whoami(body.access_token)).status).toBe(401);
      expect((await refresh(body.refresh_token)).status).toBe(400);
    }
  });

  it('ends with its family alone: what the application got another time stays', async () => {
    const [one, other] = [await tokens(world, user, app), await tokens(world, user, app)];
    await refresh(one.refresh_token);
    await refresh(one.refresh_token);
    expect((await whoami(other.access_token)).status).toBe(200);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  it('gives less when less is asked for, never more', async () => {
    const { refresh_token } = await tokens(world, user, app, { scope: 'read_user openid' });
    const { body } = await refresh(refresh_token, { scope: 'read_user' });
    expect(body.scope).toBe('read_user');
    for (const scope of ['api', 'read_user nonsense']) {
      expect(await refresh(body.refresh_token, { scope })).toMatchObject(refused(400, 'invalid_scope'));
    }
  });

  it('is good for the application that got it alone', async () => {
    const other = await application(world, owner);
    const { refresh_token } = await tokens(world, user, app);
    const theirs = { client_id: other.uid, client_secret: other.secret };
    expect(await refresh(refresh_token, theirs)).toMatchObject(refused(400, 'invalid_grant'));
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it('that was not used for ninety days is over', async () => {
    const { refresh_token, access_token } = await tokens(world, user, app);
    const [row] = await world.db.$queryRaw<{ days: number }[]>`
      SELECT round(extract(epoch FROM expires_at - created_at) / 86400)::int AS days FROM oauth_tokens
      WHERE kind = 'refresh' ORDER BY created_at DESC LIMIT 1`;
    expect(row?.days).toBe(90);
    await world.db.$executeRaw`UPDATE oauth_tokens SET expires_at = now() - interval '1 second' WHERE kind = 'refresh'`;
    expect(await refresh(refresh_token)).toMatchObject(refused(400, 'invalid_grant'));
    expect((await whoami(access_token)).status).toBe(200);
  });
});

describe('POST /oauth/revoke', () => {
  const revoke = (token: string, more: Record<string, string> = {}) =>
    post(world, '/oauth/revoke', { token, ...client, ...more });

  it('ends a token, of either kind, with its family', LONG, async () => {
    for (const [kind, hint] of [
      ['access_token', 'access_token'],
      ['refresh_token', 'refresh_token'],
      ['refresh_token', 'access_token'],
      ['access_token', 'nonsense'],
    ] as const) {
      const got = await tokens(world, user, app);
      const { status, body, headers } = await revoke(got[kind], { token_type_hint: hint });
      expect([status, body]).toEqual([200, {}]);
      expect(headers['cache-control']).toBe('no-store');
      expect((await whoami(got.access_token)).status).toBe(401);
      expect((await refresh(got.refresh_token)).status).toBe(400);
    }
  });

  it('says nothing of tokens that there are not', async () => {
    expect((await revoke('nonsense')).status).toBe(200);
    expect(await revoke('')).toMatchObject(refused(400, 'invalid_request'));
  });

  it('ends no token of another application', LONG, async () => {
    const got = await tokens(world, user, app);
    const other = await application(world, owner);
    for (const stranger of [
      { client_id: other.uid, client_secret: other.secret },
      { client_id: publicApp.uid, client_secret: '' },
    ]) {
      await revoke(got.access_token, stranger);
      await revoke(got.refresh_token, stranger);
    }
    await post(world, '/oauth/revoke', { token: got.access_token });
    expect((await whoami(got.access_token)).status).toBe(200);
    expect((await refresh(got.refresh_token)).status).toBe(200);
  });

  it('ends what was given for a password without an application', async () => {
    const { body } = await password();
    expect((await post(world, '/oauth/revoke', { token: body.access_token })).status).toBe(200);
    expect((await whoami(body.access_token)).status).toBe(401);
  });
});

describe('POST /oauth/introspect', () => {
  const introspect = (token: string, more: Record<string, string> = {}) =>
    post(world, '/oauth/introspect', { token, ...client, ...more });

  it('tells an application of its own tokens', async () => {
    const got = await tokens(world, user, app, { scope: 'read_user openid' });
    const { status, body, headers } = await introspect(got.access_token);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      active: true,
      sub: String(user.id),
      client_id: app.uid,
      scope: 'read_user openid',
      token_type: 'Bearer',
      iss: world.url,
      iat: expect.any(Number),
      exp: body.iat + 7200,
    });
    expect((await introspect(got.refresh_token)).body).toMatchObject({ active: true, client_id: app.uid });
    await post(world, '/oauth/revoke', { token: got.access_token, ...client });
    expect((await introspect(got.access_token)).body).toEqual({ active: false });
  });

  it('tells nothing of those of others, nor of what is none', async () => {
    const got = await tokens(world, user, app);
    const other = await application(world, owner);
    const theirs = { client_id: other.uid, client_secret: other.secret };
    for (const { body } of [
      await introspect(got.access_token, theirs),
      await introspect('nonsense'),
      await introspect(user.token),
      await introspect(await world.token(user)),
    ]) {
      expect(body).toEqual({ active: false });
    }
    expect(await post(world, '/oauth/introspect', { token: got.access_token })).toMatchObject({ status: 400 });
  });
});

describe('GET /oauth/token/info', () => {
  it('tells who has a token what it is good for', async () => {
    const got = await tokens(world, user, app, { scope: 'read_user' });
    for (const answer of [
      await world.send('GET', '/oauth/token/info', bearer(got.access_token)),
      await world.send('GET', `/oauth/token/info?access_token=${got.access_token}`),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        resource_owner_id: user.id,
        scope: ['read_user'],
        scopes: ['read_user'],
        expires_in: expect.any(Number),
        expires_in_seconds: expect.any(Number),
        application: { uid: app.uid },
        created_at: expect.any(Number),
      });
      expect(Math.abs(answer.body.expires_in_seconds - 7200)).toBeLessThan(10);
    }
  });

  it('tells nothing of others', async () => {
    const { refresh_token } = await tokens(world, user, app);
    for (const token of [undefined, 'nonsense', refresh_token, user.token]) {
      const answer = await world.send('GET', '/oauth/token/info', token === undefined ? {} : bearer(token));
      expect(answer).toMatchObject(refused(401, 'invalid_token'));
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer realm="Protected by OAuth 2.0", error="invalid_token"/,
      );
    }
  });
});

describe('What is stored', () => {
  it('holds no code, token or secret that could be used', async () => {
    const browser = await signedIn(world, user);
    const given = await code(browser, app, { scope: 'openid api', nonce: 'n' });
    const { body } = await exchange(world, app, given);
    const renewed = await refresh(body.refresh_token);
    const own = await post(world, '/oauth/token', { grant_type: 'client_credentials', ...client });
    await browser.get(
      `/oauth/authorize?${new URLSearchParams({ response_type: 'code', redirect_uri: CALLBACK, client_id: app.uid, prompt: 'consent' })}`,
    );
    const [, interaction = ''] = /interaction\/(.+)$/.exec(browser.answer.headers.location ?? '') ?? [];
    const usable = [
      given,
      body.access_token,
      body.refresh_token,
      renewed.body.access_token,
      own.body.access_token,
      app.secret,
      interaction,
    ];
    const tables = ['applications', 'authorizations', 'grants', 'tokens', 'interactions', 'keys'];
    const parts = tables.map(
      (table) => `(SELECT COALESCE(string_agg(row_to_json(t)::text, ' '), '') FROM oauth_${table} t)`,
    );
    const [row] = await world.db.$queryRawUnsafe<{ text: string }[]>(`SELECT ${parts.join(' || ')} AS text`);
    expect(row?.text).toContain(app.uid);
    for (const value of usable) {
      expect(value.length).toBeGreaterThan(20);
      expect(row?.text).not.toContain(value);
      expect(row?.text).not.toContain(Buffer.from(value).toString('hex'));
    }
    expect(row?.text).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
  });
});
