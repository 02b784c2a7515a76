import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import { createApp } from '#src/entrances/server/app.ts';
import type { AppOptions } from '#src/entrances/server/app_options.ts';
import { Browser } from '../support/browser.ts';
import { sender } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { application, CALLBACK, code, exchange, post, sentBack } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const user = await world.user();
const app = await application(world, owner);

/** Another server on the database, with settings of its own. */
async function server(options: Partial<AppOptions>) {
  const http = createServer(createApp({ ...world.as(user), ...options }));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { send, close } = sender((http.address() as AddressInfo).port);
  afterAll(() => {
    close();
    http.close();
  });
  return { ...world, send } as typeof world;
}

describe('A server that has an external URL', () => {
  it('is known by it, whatever requests say, and sets cookies for https alone', LONG, async () => {
    const there = await server({ externalUrl: 'https://gantry.example' });
    const { body } = await there.send('GET', '/.well-known/openid-configuration', {
      headers: { Host: 'evil.example' },
    });
    expect(body).toMatchObject({
      issuer: 'https://gantry.example',
      token_endpoint: 'https://gantry.example/oauth/token',
      jwks_uri: 'https://gantry.example/oauth/keys',
    });
    const browser = new Browser(there.send);
    browser.setCookie('__Host-gantry_session', await startSession(world.db, user.id));
    const query = { response_type: 'code', client_id: app.uid, redirect_uri: CALLBACK, scope: 'openid' };
    await browser.get(`/oauth/authorize?${new URLSearchParams(query)}`);
    const cookies = browser.answer.headers['set-cookie'] ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly/i);
    const given = await code(browser, app, { scope: 'openid' });
    expect(sentBack(browser.answer).iss).toBe('https://gantry.example');
    const { id_token: idToken } = (await exchange(there, app, given)).body;
    const claims = JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url').toString());
    expect(claims.iss).toBe('https://gantry.example');
  });

  it('may have a path', async () => {
    const there = await server({ externalUrl: 'https://example.org/gantry' });
    const { body } = await there.send('GET', '/.well-known/openid-configuration');
    expect(body).toMatchObject({
      issuer: 'https://example.org/gantry',
      authorization_endpoint: 'https://example.org/gantry/oauth/authorize',
      jwks_uri: 'https://example.org/gantry/oauth/keys',
    });
  });
});

describe('A server without an external URL', () => {
  const forged = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' };
  const start = async (there: typeof world) => {
    const query = { response_type: 'code', client_id: app.uid, redirect_uri: CALLBACK };
    return there.send('GET', `/oauth/authorize?${new URLSearchParams(query)}`, { headers: forged });
  };

  it('believes forwarded headers of trusted proxies alone, and never for its name', async () => {
    const listeningUrl = () => 'http://127.0.0.1:8080';
    const plain = await start(await server({ listeningUrl }));
    expect(plain.headers['set-cookie']?.join()).not.toMatch(/secure/i);
    const trusting = await server({ listeningUrl, trustProxy: true });
    expect((await start(trusting)).headers['set-cookie']?.join()).toMatch(/secure/i);
    const { body } = await trusting.send('GET', '/.well-known/openid-configuration', { headers: forged });
    expect(body.issuer).toBe('http://127.0.0.1:8080');
    expect(JSON.stringify(body)).not.toContain('evil');
  });
});

describe('The log', () => {
  it('has no code, token, secret or password of OAuth in it', LONG, async () => {
    let logged = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk;
        done();
      },
    });
    const there = await server({ log: pino({ level: 'trace' }, stream), listeningUrl: () => world.url });
    const session = await startSession(world.db, user.id);
    const browser = new Browser(there.send);
    browser.setCookie('gantry_session', session);
    const state = 'a-state-that-is-secret';
    const given = await code(browser, app, { state, scope: 'openid api', nonce: 'n', prompt: 'consent' });
    const { body } = await exchange(there, app, given);
    const { access_token: access, refresh_token: refresh, id_token: idToken } = body;
    await there.send('GET', `/api/v4/user?access_token=${access}`);
    await there.send('GET', `/oauth/token/info?access_token=${access}`);
    await there.send('GET', `/graphql?query=%7Bviewer%7Bname%7D%7D&access_token=${access}`);
    const hinted = { response_type: 'code', client_id: app.uid, redirect_uri: CALLBACK, scope: 'openid' };
    await browser.get(`/oauth/authorize?${new URLSearchParams({ ...hinted, id_token_hint: idToken, prompt: 'none' })}`);
    await there.send('GET', `/callback?code=${given}&state=${state}`);
    await post(there, `/oauth/token?client_secret=${app.secret}&code=${given}`, { refresh_token: refresh });
    await post(there, '/oauth/token', {
      grant_type: 'password',
      username: user.username,
      password: 'a wrong password',
    });
    await there.send('POST', '/oauth/token', {
      headers: { 'Content-Type': 'application/json' },
      body: `{"code": "${given}"`,
    });
    const query = `grant_type=password&username=${user.username}&password=pass;word-with-a-semicolon&pw=under-a-wrong-name`;
    for (const path of ['/oauth/token', '/OAuth/Token/', `${world.url}/oauth/token`]) {
      await there.send('POST', `${path}?${query}&client_secret=${app.secret}`);
    }
    await there.send('POST', `/oauth/revoke?token=${access}&x=${refresh}`);
    await there.send('GET', '/-/liveness');
    expect(logged).toContain('/oauth/token?[redacted]');
    for (const part of ['word-with-a-semicolon', 'under-a-wrong-name']) expect(logged).not.toContain(part);
    expect(logged).toContain('/oauth/authorize');
    expect(logged).toContain('/oauth/token/info');
    for (const secret of [given, access, refresh, idToken, app.secret, session, state, 'a wrong password']) {
      expect(secret.length).toBeGreaterThan(10);
      expect(logged).not.toContain(secret);
    }
  });
});
