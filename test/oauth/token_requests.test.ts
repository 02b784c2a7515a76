import { describe, expect, it } from 'vitest';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { LONG } from '../support/long.ts';
import { bearer, CALLBACK, code, post, refused, signedIn, startTokenWorld } from '../support/oauth.ts';
import { PASSWORD } from '../support/world.ts';

const { world, owner, app, publicApp, user, client, whoami, refresh, password } = await startTokenWorld();
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

describe('An application proves itself', () => {
  it('in the body or in the header, in a form or in JSON', LONG, async () => {
    const browser = await signedIn(world, user);
    const grant = { grant_type: 'authorization_code', redirect_uri: CALLBACK };
    const send = async (fields: Record<string, string>, headers: Record<string, string>, json: boolean) => {
      const all = { ...grant, code: await code(browser, app), ...fields };
      if (!json) return post(world, '/oauth/token', all, headers);
      return world.send('POST', '/oauth/token', { headers, body: all });
    };
    for (const json of [true, false]) {
      expect((await send(client, {}, json)).status).toBe(200);
      expect((await send({}, basic(app.uid, app.secret), json)).status).toBe(200);
      expect((await send({ client_id: app.uid }, basic(app.uid, app.secret), json)).status).toBe(200);
    }
  });

  it('with its secret: 401 invalid_client for any other', async () => {
    const answer = refused(401, 'invalid_client');
    for (const given of [
      { client_id: app.uid, client_secret: 'wrong' },
      { client_id: app.uid, client_secret: `${app.secret}x` },
      { client_id: app.uid },
      { client_id: 'unknown', client_secret: app.secret },
      { client_id: publicApp.uid, client_secret: app.secret },
    ] as Record<string, string>[]) {
      expect(await post(world, '/oauth/token', { grant_type: 'client_credentials', ...given })).toMatchObject(answer);
      expect(await post(world, '/oauth/introspect', { token: 'x', ...given })).toMatchObject(answer);
      expect(await post(world, '/oauth/revoke', { token: 'x', ...given })).toMatchObject(answer);
    }
    const wrong = await post(world, '/oauth/token', { grant_type: 'client_credentials' }, basic(app.uid, 'wrong'));
    expect(wrong).toMatchObject(answer);
    expect(wrong.headers['www-authenticate']).toMatch(/^Basic realm=/);
  });

  it('in one way at a time', async () => {
    const given = { grant_type: 'client_credentials', client_secret: app.secret };
    const answer = await post(world, '/oauth/token', given, basic(app.uid, app.secret));
    expect(answer).toMatchObject(refused(400, 'invalid_request'));
  });

  it('not with the hash that is stored of its secret', async () => {
    const { secretHash } = await world.db.oAuthApplication.findUniqueOrThrow({ where: { id: app.id } });
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const client_secret = Buffer.from(secretHash ?? []).toString(encoding);
      const given = { grant_type: 'client_credentials', client_id: app.uid, client_secret };
      expect(await post(world, '/oauth/token', given)).toMatchObject(refused(401, 'invalid_client'));
    }
  });
});

describe('POST /oauth/token', () => {
  it('words errors as RFC 6749 does', async () => {
    const send = (fields: Record<string, string>) => post(world, '/oauth/token', { ...client, ...fields });
    expect(await send({})).toMatchObject(refused(400, 'invalid_request'));
    expect(await send({ grant_type: 'nonsense' })).toMatchObject(refused(400, 'unsupported_grant_type'));
    expect(await send({ grant_type: 'implicit' })).toMatchObject(refused(400, 'unsupported_grant_type'));
    for (const who of [{}, { client_id: 'nobody' }, { client_id: app.uid }, { ...client, client_secret: 'wrong' }]) {
      for (const grant_type of ['nonsense', 'implicit', '__proto__', 'PASSWORD']) {
        const answer = await post(world, '/oauth/token', { ...who, grant_type } as Record<string, string>);
        expect(answer).toMatchObject(refused(400, 'unsupported_grant_type'));
      }
    }
    const grant_type = 'authorization_code';
    expect(await send({ grant_type })).toMatchObject(refused(400, 'invalid_request'));
    const nonsense = { grant_type, code: 'nonsense', redirect_uri: CALLBACK };
    expect(await send(nonsense)).toMatchObject(refused(400, 'invalid_grant'));
    expect(await send({ grant_type: 'refresh_token', refresh_token: 'no' })).toMatchObject(
      refused(400, 'invalid_grant'),
    );
    const unauthorized = await post(world, '/oauth/token', {
      grant_type: 'client_credentials',
      client_id: publicApp.uid,
    });
    expect(unauthorized).toMatchObject(refused(400, 'unauthorized_client'));
  });

  it('takes its parameters from forms of either kind, JSON and the query', LONG, async () => {
    const fields: Record<string, string> = {
      grant_type: 'password',
      username: user.username,
      password: PASSWORD,
      ...client,
    };
    const multipart = new FormData();
    for (const [name, value] of Object.entries(fields)) multipart.append(name, value);
    const query = new URLSearchParams(fields);
    const send = (path: string, init: RequestInit) => fetch(world.url + path, { method: 'POST', ...init });
    for (const answer of [
      await send('/oauth/token', { body: multipart }),
      await send('/oauth/token', { body: query }),
      await send(`/oauth/token?${query}`, {}),
      await send(`/oauth/token?${new URLSearchParams(client)}`, { body: new URLSearchParams({ ...fields }) }),
      // What the body says counts.
      await send('/oauth/token?password=wrong&client_secret=wrong', { body: multipart }),
    ]) {
      const body = (await answer.json()) as { access_token: string };
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect((await whoami(body.access_token)).body).toMatchObject({ id: user.id });
      const ended = await send(`/oauth/revoke?${new URLSearchParams({ token: body.access_token, ...client })}`, {});
      expect([ended.status, (await whoami(body.access_token)).status]).toEqual([200, 401]);
    }
    expect((await fetch(`${world.url}/oauth/token?${query}`)).status).toBe(404);
  });

  it('refuses multipart that is broken, large, or holds files', async () => {
    const part = (head: string, value: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const grant = part('name="grant_type"', 'client_credentials');
    const type = 'multipart/form-data; boundary=b';
    for (const [contentType, body] of [
      [type, grant],
      [type, '--b'],
      [type, 'nothing'],
      ['multipart/form-data', `${grant}--b--`],
      [type, `${grant}${part('name="client_id"; filename="x"', app.uid)}--b--`],
      [type, `${grant}${part('name="a"', 'x'.repeat(40_000))}--b--`],
      [type, `${part('name="a"', '').repeat(60)}--b--`],
      [type, `${grant}${grant}${part('name="client_id"', app.uid)}${part('name="client_secret"', app.secret)}--b--`],
    ] as const) {
      const answer = await world.send('POST', '/oauth/token', { headers: { 'Content-Type': contentType }, body });
      expect(answer).toMatchObject(refused(400, 'invalid_request'));
    }
  });

  it('takes forms and JSON objects of texts, and nothing else', async () => {
    const send = (body: string, type: string) =>
      world.send('POST', '/oauth/token', { headers: { 'Content-Type': type }, body });
    for (const [body, type] of [
      ['{', 'application/json'],
      ['[]', 'application/json'],
      ['"text"', 'application/json'],
      ['{"grant_type": {"a": 1}}', 'application/json'],
      ['grant_type=password', 'text/plain'],
      ['<xml/>', 'application/xml'],
      [`a=${'x'.repeat(40_000)}`, 'application/x-www-form-urlencoded'],
    ] as const) {
      expect(await send(body, type)).toMatchObject(refused(400, 'invalid_request'));
    }
  });

  it('takes a parameter once', async () => {
    const body = `grant_type=client_credentials&scope=api&scope=read_user&${new URLSearchParams(client)}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await world.send('POST', '/oauth/token', { headers, body })).toMatchObject(refused(400, 'invalid_request'));
    expect(await world.send('POST', `/oauth/token?${body}`)).toMatchObject(refused(400, 'invalid_request'));
  });
});

describe('User name and password', () => {
  it('give tokens with an application and without', async () => {
    const own = await password();
    expect([own.status, own.body.token_type, own.body.expires_in, own.body.scope]).toEqual([
      200,
      'bearer',
      7200,
      'api',
    ]);
    expect((await whoami(own.body.access_token)).body).toMatchObject({ id: user.id });
    for (const answer of [await password(client), await password({}, basic(app.uid, app.secret))]) {
      expect((await whoami(answer.body.access_token)).body).toMatchObject({ id: user.id });
    }
    const byJson = await world.send('POST', '/oauth/token', {
      body: {
        grant_type: 'password',
        username: `${user.username}@example.org`,
        password: PASSWORD,
        scope: 'read_user',
      },
    });
    expect([byJson.status, byJson.body.scope]).toEqual([200, 'read_user']);
  });

  it('give refresh tokens, for whom they were given to', async () => {
    const { body: own } = await password();
    expect(await refresh(own.refresh_token)).toMatchObject(refused(400, 'invalid_grant'));
    const again = await post(world, '/oauth/token', { grant_type: 'refresh_token', refresh_token: own.refresh_token });
    expect(again.status).toBe(200);
    const { body: theirs } = await password(client);
    const stolen = await post(world, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: theirs.refresh_token,
    });
    expect(stolen).toMatchObject(refused(400, 'invalid_grant'));
    expect((await refresh(theirs.refresh_token)).status).toBe(200);
  });

  it('that are wrong or missing are refused', async () => {
    expect(await password({ password: 'wrong' })).toMatchObject(refused(400, 'invalid_grant'));
    expect(await password({ username: 'nobody-at-all' })).toMatchObject(refused(400, 'invalid_grant'));
    expect(await password({ password: '' })).toMatchObject(refused(400, 'invalid_request'));
    expect(await password({ username: '' })).toMatchObject(refused(400, 'invalid_request'));
    expect(await password({ ...client, client_secret: 'wrong' })).toMatchObject(refused(401, 'invalid_client'));
    for (const scope of ['nonsense', 'api nonsense', 'nonsense api']) {
      expect(await password({ scope })).toMatchObject(refused(400, 'invalid_scope'));
    }
  });

  it('of a user who is blocked, who uses two factors, or whose password must be renewed are refused', async () => {
    const blocked = await world.user({ blocked: true });
    const careful = await world.user();
    const late = await world.user();
    await world.db.user.update({ where: { id: careful.id }, data: { twoFactorEnabled: true } });
    await world.db.user.update({ where: { id: late.id }, data: { passwordExpiresAt: new Date(0) } });
    for (const { username, id } of [blocked, careful, late]) {
      expect(await password({ username })).toMatchObject(refused(400, 'invalid_grant'));
      expect(await world.db.oAuthGrant.count({ where: { userId: id } })).toBe(0);
    }
  });

  it.each([
    ['the password is changed', `password_hash = 'another'`],
    ['a second factor is added', 'two_factor_enabled = true'],
  ])('give nothing when %s after they were looked at', async (_what, change) => {
    const { id, username } = await world.user();
    const name = world.unique('meanwhile');
    // Noting when somebody signed in comes between the look at the password and the grant.
    await world.db.$executeRawUnsafe(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN UPDATE users SET ${change} WHERE id = NEW.id; RETURN NULL; END$$`);
    await world.db.$executeRawUnsafe(`
      CREATE TRIGGER ${name} AFTER UPDATE OF current_sign_in_at ON users FOR EACH ROW
      WHEN (NEW.id = ${id}) EXECUTE FUNCTION ${name}()`);
    expect(await password({ username })).toMatchObject(refused(400, 'invalid_grant'));
    expect(await world.db.oAuthGrant.count({ where: { userId: id } })).toBe(0);
    await world.db.user.update({ where: { id }, data: { twoFactorEnabled: false } });
    await world.db.user.update({ where: { id }, data: { passwordHash: await hashPassword(PASSWORD, null) } });
    const { status, body } = await world.api().post('/session', { login: username, password: PASSWORD });
    expect([status, body.private_token]).toEqual([401, undefined]);
  });

  it('count as attempts to sign in', LONG, async () => {
    const { username } = await world.user();
    for (let i = 0; i < 10; i += 1) await password({ username, password: 'wrong' });
    const answer = await password({ username });
    expect(answer).toMatchObject(refused(429, 'temporarily_unavailable'));
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('are not taken while signing in with a password is switched off, but of administrators', async () => {
    const admin = await world.user({ admin: true });
    await world.api(admin).put('/application/settings', { signin_enabled: false });
    expect(await password()).toMatchObject(refused(400, 'invalid_grant'));
    expect((await password({ username: admin.username })).status).toBe(200);
    await world.api(admin).put('/application/settings', { signin_enabled: true });
  });
});

describe('An application that acts for itself', () => {
  it('gets a token that is nobody’s', async () => {
    const { status, body } = await post(world, '/oauth/token', { grant_type: 'client_credentials', ...client });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 7200,
      scope: 'api',
      created_at: expect.any(Number),
    });
    expect((await whoami(body.access_token)).body).toEqual({ message: '401 Unauthorized' });
    const secret = await world.project({ owner, visibility: 'private' });
    const open = await world.project({ owner, visibility: 'public' });
    expect((await world.send('GET', `/api/v4/projects/${secret.id}`, bearer(body.access_token))).status).toBe(404);
    expect((await world.send('GET', `/api/v4/projects/${open.id}`, bearer(body.access_token))).status).toBe(200);
    const info = await world.send('GET', '/oauth/token/info', bearer(body.access_token));
    expect(info.body).toMatchObject({ resource_owner_id: null, application: { uid: app.uid } });
  });
});
