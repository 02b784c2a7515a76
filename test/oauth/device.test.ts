// One part in depth, which the long run has.
// @module-tag long
import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import type { ApplicationRow } from '#src/domain/applications/find.ts';
import { LONG } from '../support/long.ts';
import { application, bearer, refused, signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const app = await application(world, owner, { confidential: false, redirectUris: ['http://localhost:7171/auth'] });
const secretive = await application(world, owner);
const user = await world.user();
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const begin = async ({ uid }: ApplicationRow, more: object = {}) =>
  (await world.send('POST', '/oauth/authorize_device', { body: { client_id: uid, ...more } })).body;
const poll = ({ uid }: ApplicationRow, code: string) =>
  world.send('POST', '/oauth/token', { body: { grant_type: GRANT, client_id: uid, device_code: code } });

/** Lets the time pass within which an application may not ask again. */
const wait = () => world.db.$executeRaw`UPDATE oauth_device_codes SET polled_at = polled_at - interval '6 seconds'`;

async function decide(who: TestUser, userCode: string, decision: 'approve' | 'deny') {
  const browser = await signedIn(world, who);
  await browser.get(`/oauth/device?user_code=${userCode}`);
  await browser.submit('/oauth/device', { user_code: userCode });
  const asked = browser.page;
  await browser.submit('/oauth/device/decision', { user_code: userCode, decision });
  return { asked, page: browser.page, status: browser.answer.status };
}

describe('The device authorization grant', () => {
  it('lets openid-client in where the user allows it on another device', LONG, async () => {
    const execute = [client.allowInsecureRequests];
    const config = await client.discovery(new URL(world.url), app.uid, undefined, client.None(), { execute });
    expect(config.serverMetadata().device_authorization_endpoint).toBe(`${world.url}/oauth/authorize_device`);
    expect(config.serverMetadata().grant_types_supported).toContain(GRANT);
    const asked = await client.initiateDeviceAuthorization(config, { scope: 'openid read_user' });
    expect(asked).toMatchObject({
      user_code: expect.stringMatching(/^[A-Z0-9]{8}$/),
      verification_uri: `${world.url}/oauth/device`,
      verification_uri_complete: `${world.url}/oauth/device?user_code=${asked.user_code}`,
      expires_in: 300,
      interval: 5,
    });
    const polling = client.pollDeviceAuthorizationGrant(config, { ...asked, interval: 1 });
    const { asked: page } = await decide(user, asked.user_code, 'approve');
    expect(page).toContain(app.name);
    expect(page).toContain('Read your profile and the profiles that you can see');
    const tokens = await polling;
    expect(tokens.claims()?.sub).toBe(String(user.id));
    expect(tokens.scope).toBe('openid read_user');
    expect((await world.send('GET', '/api/v4/user', bearer(tokens.access_token))).body.id).toBe(user.id);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await world.send('GET', '/api/v4/user', bearer(refreshed.access_token))).status).toBe(200);
  });

  it('waits for the decision, tells who asks too often, and gives tokens once', async () => {
    const { device_code: code, user_code: userCode } = await begin(app, { scope: 'api' });
    expect(await poll(app, code)).toMatchObject(refused(400, 'authorization_pending'));
    expect(await poll(app, code)).toMatchObject(refused(400, 'slow_down'));
    await wait();
    expect(await poll(app, code)).toMatchObject(refused(400, 'authorization_pending'));
    await wait();
    expect((await decide(user, `${userCode.slice(0, 4)}-${userCode.slice(4)}`.toLowerCase(), 'approve')).status).toBe(
      200,
    );
    expect((await poll(secretive, code)).status).toBe(401);
    const tokens = await poll(app, code);
    expect([tokens.status, tokens.body]).toEqual([
      200,
      expect.objectContaining({ token_type: 'bearer', scope: 'api' }),
    ]);
    expect(await poll(app, code)).toMatchObject(refused(400, 'invalid_grant'));
    expect((await world.send('GET', '/api/v4/user', bearer(tokens.body.access_token))).status).toBe(401);
  });

  it('ends where the user denies it, or decides too late', async () => {
    const denied = await begin(app);
    expect((await decide(user, denied.user_code, 'deny')).page).toContain('was not let in');
    expect(await poll(app, denied.device_code)).toMatchObject(refused(400, 'access_denied'));
    expect((await decide(user, denied.user_code, 'approve')).status).toBe(422);
    const late = await begin(app);
    await world.db.$executeRaw`UPDATE oauth_device_codes SET expires_at = now() - interval '1 second'`;
    expect((await decide(user, late.user_code, 'approve')).status).toBe(422);
    expect(await poll(app, late.device_code)).toMatchObject(refused(400, 'expired_token'));
    expect(await poll(app, 'made up')).toMatchObject(refused(400, 'invalid_grant'));
  });

  it('is for known applications and their scopes, and for users who are signed in', async () => {
    const unknown = await world.send('POST', '/oauth/authorize_device', { body: { client_id: 'nobody' } });
    expect(unknown).toMatchObject(refused(401, 'invalid_client'));
    const without = await world.send('POST', '/oauth/authorize_device', { body: { client_id: secretive.uid } });
    expect(without.status).toBe(401);
    const wrong = { client_id: app.uid, scope: 'no_such_scope' };
    expect(await world.send('POST', '/oauth/authorize_device', { body: wrong })).toMatchObject(
      refused(400, 'invalid_scope'),
    );
    const anonymous = await world.send('GET', '/oauth/device');
    expect(anonymous.headers.location).toMatch(/^\/users\/sign_in\?return_to=/);
    const browser = await signedIn(world, user);
    await browser.get('/oauth/device?user_code="><script>');
    expect(browser.page).not.toContain('<script>"');
    expect((await browser.submit('/oauth/device', { user_code: 'AAAAAAAA' })).status).toBe(422);
  });

  it('gives nothing to the application of a user who is blocked meanwhile', async () => {
    const other = await world.user();
    const { device_code: code, user_code: userCode } = await begin(app);
    await decide(other, userCode, 'approve');
    await world.db.user.update({ where: { id: other.id }, data: { state: 'blocked' } });
    expect(await poll(app, code)).toMatchObject(refused(400, 'invalid_grant'));
  });
});

it('A user can try thirty codes of devices in an hour', LONG, async () => {
  const guesser = await world.user();
  const browser = await signedIn(world, guesser);
  await browser.get('/oauth/device');
  for (let tried = 1; tried <= 30; tried += 1) {
    expect((await browser.submit('/oauth/device', { user_code: 'AAAAAAAA' })).status).toBe(422);
  }
  const { user_code: userCode } = await begin(app);
  expect((await browser.submit('/oauth/device', { user_code: userCode })).status).toBe(429);
});
