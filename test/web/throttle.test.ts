import { beforeEach, describe, expect, it } from 'vitest';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const [ada, ben] = [await world.user(), await world.user()];
const token = await world.token(ada);

const set = async (data: object) => {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
};

/** One request is enough, in a period that no test sees the end of. */
const only = (name: string, requests: number) => ({
  [`throttle${name}Enabled`]: true,
  [`throttle${name}RequestsPerPeriod`]: requests,
  [`throttle${name}PeriodInSeconds`]: 36_000,
});

beforeEach(async () => {
  await world.db.applicationSettings.delete({ where: { id: 1 } });
  await world.db.applicationSettings.create({ data: { throttleUnauthenticatedApiEnabled: false } });
  await set({ throttleProtectedPathsEnabled: false });
});

const get = (path: string, who?: string) =>
  fetch(world.url + path, { redirect: 'manual', headers: who ? { 'PRIVATE-TOKEN': who } : {} });
const refused = async (answer: Response) => {
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    429,
    expect.stringMatching(/^text\/plain/),
    'Retry later',
  ]);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
};

describe('Requests to the API', () => {
  it('of a user are limited by the user, whatever the credential, and not those of another one', async () => {
    await set(only('AuthenticatedApi', 3));
    const left: (string | null)[] = [];
    for (const who of [ada.token, token, ada.token]) {
      const answer = await get('/api/v4/user', who);
      expect(answer.status).toBe(200);
      left.push(answer.headers.get('ratelimit-remaining'));
    }
    expect(left).toEqual(['2', '1', '0']);
    await refused(await get('/api/v4/projects', token));
    await refused(
      await fetch(`${world.url}/graphql`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': ada.token, 'Content-Type': 'application/json' },
        body: '{"query":"{ viewer { id } }"}',
      }),
    );
    expect((await get('/api/v4/user', ben.token)).headers.get('ratelimit-remaining')).toBe('2');
  });

  it('say in headers what is left, where a limit counts', async () => {
    await set({ ...only('AuthenticatedApi', 120), throttleAuthenticatedApiPeriodInSeconds: 60 });
    const before = Date.now() / 1000;
    const { headers } = await get('/api/v4/user', ben.token);
    expect(Object.fromEntries(headers)).toMatchObject({
      'ratelimit-limit': '120',
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': '1',
      'ratelimit-remaining': '119',
      'access-control-expose-headers': expect.stringContaining('RateLimit-Remaining'),
    });
    const reset = Number(headers.get('ratelimit-reset'));
    expect(reset).toBeGreaterThanOrEqual(Math.floor(before));
    expect(reset).toBeLessThan(before + 60);
    expect(Date.parse(headers.get('ratelimit-resettime') ?? '')).toBe(reset * 1000);
    const missing = await get('/api/v4/projects/0', ben.token);
    expect([missing.status, missing.headers.get('ratelimit-observed')]).toEqual([404, '2']);
  });

  it('without a sign-in are limited by address, also with unknown tokens, while users go on', async () => {
    await set(only('UnauthenticatedApi', 2));
    expect((await get('/api/v4/projects')).headers.get('ratelimit-name')).toBe('throttle_unauthenticated_api');
    expect((await get('/api/v4/user', 'unknown')).status).toBe(401);
    await refused(await get('/api/v4/projects'));
    await refused(await get('/api/v4/user', 'unknown'));
    const answer = await get('/api/v4/user', ada.token);
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
  });

  it('are let through again as earlier ones leak away', LONG, async () => {
    await set({ ...only('UnauthenticatedApi', 1), throttleUnauthenticatedApiPeriodInSeconds: 1 });
    expect((await get('/api/v4/projects')).status).toBe(200);
    await world.until(async () => (await get('/api/v4/projects')).status === 200);
  });

  it('count one time each, and what changes the limit forgets what was counted', async () => {
    await set(only('AuthenticatedApi', 1));
    const body = { name: world.unique('Once') };
    expect((await world.api(ada).post('/projects', body)).status).toBe(201);
    expect((await world.api(ada).get('/user')).status).toBe(429);
    await set(only('AuthenticatedApi', 2));
    expect((await world.api(ada).get('/user')).status).toBe(200);
  });
});

describe('As the server is installed', () => {
  it('signed-in requests are not limited, and say nothing of limits; anonymous ones are, generously', async () => {
    await world.db.applicationSettings.delete({ where: { id: 1 } });
    await world.db.applicationSettings.create({ data: {} });
    forgetSettings(world.db);
    expect((await get('/api/v4/user', ada.token)).headers.has('ratelimit-limit')).toBe(false);
    expect((await get('/api/v4/projects')).headers.get('ratelimit-limit')).toBe('6000');
    expect((await get('/explore')).headers.has('ratelimit-limit')).toBe(false);
  });
});

describe('Pages', () => {
  it('are limited for visitors by address, and for users by user', async () => {
    const browser = new Browser(world.send.bind(world));
    await browser.signIn(ben.username, PASSWORD);
    await set({ ...only('Unauthenticated', 1), ...only('AuthenticatedWeb', 2) });
    expect((await get('/users/sign_in')).headers.get('ratelimit-name')).toBe('throttle_unauthenticated_web');
    await refused(await get('/users/sign_in'));
    const first = await browser.get('/profile');
    expect([first.status, first.headers['ratelimit-remaining']]).toEqual([200, '1']);
    expect((await browser.get('/profile')).status).toBe(200);
    expect((await browser.get('/profile')).status).toBe(429);
  });
});

describe('Sign-ins, sign-ups and resets', () => {
  it('are limited together by address, over pages and the API, while the forms are still shown', async () => {
    await set(only('ProtectedPaths', 3));
    const post = (path: string) => fetch(world.url + path, { method: 'POST', redirect: 'manual' });
    for (const path of ['/users/sign_in', '/api/v4/session', '/Users/Password/']) {
      const answer = await post(path);
      expect(answer.headers.get('ratelimit-name')).toBe('throttle_unauthenticated_protected_paths');
      expect(answer.status).not.toBe(429);
    }
    for (const path of ['/users/sign_in', '/users/sign_up', '/oauth/token', '/api/v4/session']) {
      await refused(await post(path));
    }
    expect((await get('/users/sign_in')).status).toBe(200);
    expect((await get('/api/v4/user', ada.token)).status).toBe(200);
  });
});
