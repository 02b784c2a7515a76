import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { freePort, type OwnPostgres, ownPostgres } from '../support/own_postgres.ts';
import { gantry, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const TOKEN = 'clocks-token-0123456789';
const HOUR = 3600;

let postgres: OwnPostgres;
const scratch = scratchDirectory();
const servers: ServerProcess[] = [];

beforeAll(async () => {
  postgres = await ownPostgres();
  for (const hours of [0, 3, -3]) servers.push(await startServer(await environment(hours)));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGTERM')));
  await postgres?.remove();
  scratch.remove();
});

/** Settings of a server, or a command, whose clock is so many hours ahead of that of the database. */
async function environment(hours: number): Promise<NodeJS.ProcessEnv> {
  return settings(path.join(scratch.directory, `data${hours}`), {
    DATABASE_URL: postgres.url,
    GANTRY_SECRET: 'a secret that all of the servers know',
    GANTRY_STORAGES: `default=${path.join(scratch.directory, 'repositories')}`,
    GANTRY_ROOT_TOKEN: TOKEN,
    GANTRY_ROOT_PASSWORD: 'a password of root',
    NODE_OPTIONS: `--import=${packagePath('test/support/shifted_clock.js')}`,
    GANTRY_TEST_CLOCK_SHIFT: String(hours * HOUR),
    PORT: String(await freePort()),
  });
}

const urlOf = (index: number) => servers[index]?.url ?? '';

/** Every pair of servers, by what their clocks say. */
const PAIRS = [
  ['right', 'ahead', 0, 1],
  ['right', 'behind', 0, 2],
  ['ahead', 'right', 1, 0],
  ['behind', 'right', 2, 0],
  ['ahead', 'behind', 1, 2],
  ['behind', 'ahead', 2, 1],
] as const;

describe('Of servers whose clocks differ by hours', () => {
  test.each(PAIRS)(
    'one whose clock is %s gives OAuth tokens that are good for two hours at one whose clock is %s',
    async (_, __, from, at) => {
      const body = new URLSearchParams({ grant_type: 'password', username: 'root', password: 'a password of root' });
      const given = await fetch(`${urlOf(from)}/oauth/token`, { method: 'POST', body });
      expect(given.status).toBe(200);
      const { access_token: token, refresh_token: refresh } = (await given.json()) as Record<string, string>;
      const info = await fetch(`${urlOf(at)}/oauth/token/info`, { headers: { authorization: `Bearer ${token}` } });
      expect(info.status).toBe(200);
      const { expires_in_seconds: left } = (await info.json()) as { expires_in_seconds: number };
      expect(left).toBeGreaterThan(7000);
      expect(left).toBeLessThanOrEqual(7200);
      const again = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh ?? '' });
      expect((await fetch(`${urlOf(at)}/oauth/token`, { method: 'POST', body: again })).status).toBe(200);
    },
  );

  test.each(PAIRS)(
    'one whose clock is %s signs people in who stay signed in at one whose clock is %s',
    async (_, __, from, at) => {
      const headers = { 'private-token': TOKEN, 'content-type': 'application/json' };
      const change = JSON.stringify({ session_expire_delay: 60 });
      await fetch(`${urlOf(0)}/api/v4/application/settings`, { method: 'PUT', headers, body: change });
      const form = await fetch(`${urlOf(from)}/users/sign_in`, { headers: { accept: 'text/html' } });
      const cookie = form.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ');
      const csrf = /name="authenticity_token" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
      const body = new URLSearchParams({ authenticity_token: csrf, login: 'root', password: 'a password of root' });
      const entered = await fetch(`${urlOf(from)}/users/sign_in`, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { cookie },
      });
      expect(entered.status).toBe(303);
      const session =
        entered.headers
          .getSetCookie()
          .find((line) => line.startsWith('gantry_session='))
          ?.split(';')[0] ?? '';
      const user = await fetch(`${urlOf(at)}/api/v4/user`, { headers: { cookie: session } });
      expect(user.status).toBe(200);
      const query = JSON.stringify({ query: '{ viewer { username activeSessions } }' });
      const counted = await fetch(`${urlOf(at)}/graphql`, { method: 'POST', headers, body: query });
      const { data } = (await counted.json()) as { data: { viewer: { activeSessions: number } } };
      expect(data.viewer.activeSessions).toBeGreaterThan(0);
    },
  );

  test.each([3, -3, 30, -30])(
    'a link for a new password that is made with a clock %i hours off lasts a day',
    async (hours) => {
      const { stdout, status } = await gantry(['user', 'reset-link', '--username', 'root'], {
        ...(await environment(hours)),
        GANTRY_URL: urlOf(0),
      });
      expect(status).toBe(0);
      const landed = await fetch(stdout.trim(), { headers: { accept: 'text/html' }, redirect: 'manual' });
      const cookie = landed.headers.getSetCookie().map((line) => line.split(';')[0]);
      const headers = { accept: 'text/html', cookie: cookie.join('; ') };
      const page = await fetch(new URL(landed.headers.get('location') ?? '', urlOf(0)), { headers });
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('password');
      const [token] = await postgres.query<{ hours: number }>(
        'SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM account_tokens ORDER BY id DESC LIMIT 1',
      );
      expect(Math.round(token?.hours ?? 0)).toBe(24);
    },
  );

  test.each([1, 2])(
    'a password that somebody else chose has to be renewed, wherever it was set (server %i)',
    async (index) => {
      const headers = { 'private-token': TOKEN, 'content-type': 'application/json' };
      const username = `chosen${index}`;
      const user = { username, name: username, email: `${username}@example.com`, password: 'a password to renew' };
      const made = await fetch(`${urlOf(0)}/api/v4/users`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...user, skip_confirmation: true }),
      });
      const { id } = (await made.json()) as { id: number };
      const body = JSON.stringify({ password: 'a password that root knows' });
      expect((await fetch(`${urlOf(index)}/api/v4/users/${id}`, { method: 'PUT', headers, body })).status).toBe(200);
      const session = await fetch(`${urlOf(0)}/api/v4/session`, {
        method: 'POST',
        body: new URLSearchParams({ login: username, password: 'a password that root knows' }),
      });
      expect(session.status).toBe(401);
    },
  );
});
