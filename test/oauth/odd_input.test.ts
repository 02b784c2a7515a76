import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { application, asks, authorize, post, signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const app = await application(world, user);
const client = { client_id: app.uid, client_secret: app.secret };

/** Answers of the kind that somebody is to blame for who asked. */
function isRefusal({ status, body }: { status: number; body: unknown }): boolean {
  return status >= 400 && status < 500 && !/\bat .*\.(ts|js):\d+|URIError/.test(JSON.stringify(body));
}

describe('Odd requests are refused, and break nothing', () => {
  it.each([
    '/oauth/authorize',
    '/oauth/authorize?',
    '/oauth/authorize?client_id=%E0%A4%A&response_type=code',
    '/oauth/authorize?client_id[]=a&client_id[b]=c&response_type[]=code',
    '/oauth/authorize?__proto__=a&constructor=b&client_id=toString',
    `/oauth/authorize?response_type=code&client_id=${'x'.repeat(8000)}`,
    '/oauth/authorize?request=eyJhbGciOiJub25lIn0.e30.&client_id=x&response_type=code',
    '/oauth/authorize?request_uri=https%3A%2F%2Fevil.example%2F&client_id=x&response_type=code',
    '/oauth/authorize/nonsense',
    '/oauth/authorize/%00',
    '/oauth/authorize/%E0%A4%A',
    '/oauth/interaction/nonsense',
    '/oauth/interaction/%00',
    '/oauth/interaction/%E0%A4%A',
    '/oauth/token',
    '/oauth/revoke',
    '/oauth/nonsense',
    '/oauth/token/info?access_token[]=a&access_token[]=b',
    '/oauth/userinfo?access_token=a',
    '/.well-known/nonsense',
    '/profile/applications/%E0%A4%A',
  ])('GET %s', async (path) => {
    const browser = await signedIn(world, user);
    expect(isRefusal(await browser.get(path))).toBe(true);
    expect(isRefusal(await world.send('GET', path))).toBe(!path.startsWith('/profile') || /%E0/.test(path));
  });

  it.each([
    { grant_type: 'authorization_code', code: 'a\0b', redirect_uri: 'https://app.example/\0' },
    { grant_type: 'authorization_code', code: 'x'.repeat(20_000), redirect_uri: 'x' },
    { grant_type: 'refresh_token', refresh_token: '\0' },
    { grant_type: 'refresh_token', refresh_token: '😀'.repeat(1000) },
    { grant_type: 'password', username: 'a\0b', password: 'x' },
    { grant_type: 'password', username: 'nobody', password: '\0' },
    { grant_type: 'client_credentials', scope: '\0' },
    { grant_type: 'client_credentials', scope: 'api\napi' },
    { grant_type: '__proto__' },
    { grant_type: 'constructor' },
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
  ] as Record<string, string>[])('POST /oauth/token %j', async (fields) => {
    expect(isRefusal(await post(world, '/oauth/token', { ...client, ...fields }))).toBe(true);
    expect(isRefusal(await world.send('POST', '/oauth/token', { body: { ...client, ...fields } }))).toBe(true);
  });

  it('in client authentication', LONG, async () => {
    const fields = { grant_type: 'client_credentials' };
    for (const Authorization of [
      'Basic',
      'Basic !!!',
      'Basic Og==',
      'Basic YTpi',
      `Basic ${Buffer.from('a\0b:c').toString('base64')}`,
      `Basic ${Buffer.from('%zz:c').toString('base64')}`,
      `Bearer ${app.secret}`,
    ]) {
      expect(isRefusal(await post(world, '/oauth/token', fields, { Authorization }))).toBe(true);
    }
    for (const client_id of ['a\0b', '😀', '']) {
      expect(isRefusal(await post(world, '/oauth/token', { ...fields, client_id, client_secret: 'x' }))).toBe(true);
    }
    for (const client_secret of ['\0', '😀', 'x'.repeat(10_000)]) {
      const wrong = { client_id: app.uid, client_secret };
      expect(isRefusal(await post(world, '/oauth/token', { ...fields, ...wrong }))).toBe(true);
    }
  });

  it('in forms', async () => {
    const browser = await signedIn(world, user);
    await browser.get('/profile/applications/new');
    for (const fields of [
      { name: 'x'.repeat(80_000) },
      Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field${i}`, 'x'])),
      { name: '\0', redirect_uris: '\0', scopes: '\0' },
    ] as Record<string, string>[]) {
      expect(isRefusal(await browser.submit('/profile/applications', fields))).toBe(true);
    }
    expect((await browser.submit('/profile/applications', { name: 'x'.repeat(80_000) })).status).toBe(413);
    expect(browser.page).toContain('Bad request');
    const json = await world.send('GET', '/profile/applications/%E0%A4%A');
    expect([json.status, json.body]).toEqual([400, { error: '400 Bad Request' }]);
  });

  it('while what follows still works', async () => {
    const browser = await signedIn(world, user);
    await authorize(browser, { client_id: app.uid, state: '😀 "quoted" <b>' });
    expect(asks(browser)).toBe(true);
  });
});
