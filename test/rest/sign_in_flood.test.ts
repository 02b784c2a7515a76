// Each test takes long: the long run has them all.
// @module-tag long
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ADDRESS_LIMIT, SPACING, spaced } from '#src/access/sign_in/attempts.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { Browser } from '../support/browser.ts';
import { type Answer, sender } from '../support/http.ts';
import { hashAsServed } from '../support/password_cost.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

hashAsServed();
const world = await startWorld();
const user = await world.user();
/** A server behind a proxy, so that requests come from any address that a test likes. */
const http = createServer(createApp({ ...world.as(user), trustProxy: 'loopback' })).listen(0, '127.0.0.1');
// Longer than any pause of these tests: no connection is closed that is just being used again.
http.keepAliveTimeout = 60_000;
await once(http, 'listening');
const { send, close } = sender((http.address() as AddressInfo).port);

afterAll(() => {
  close();
  http.close();
});

beforeEach(async () => {
  await world.db.signInFailures.deleteMany();
});

const from = (address: string) => ({ 'X-Forwarded-For': address });
const attempt = (address: string, login: string, password = 'wrong password') =>
  send('POST', '/api/v4/session', { headers: from(address), body: { login, password } });
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);
/** Sends many attempts while the turn of their address is taken: those that are answered without a turn, and the others. */
async function sendMany(size: number, address: string, attemptOf: (n: number) => Promise<Answer>) {
  const gate = Promise.withResolvers<void>();
  const before = spaced(address, () => gate.promise);
  const refused: Answer[] = [];
  const others: Answer[] = [];
  let isOpen = false;
  const sent = Array.from({ length: size }, async (_, n) => {
    const answer = await attemptOf(n);
    (isOpen ? others : refused).push(answer);
  });
  await world.until(async () => refused.length >= size - SPACING.waitingPerCaller);
  isOpen = true;
  gate.resolve();
  await Promise.all([before, ...sent]);
  return { refused, others };
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('Attempts from one address', () => {
  it('are looked at one after another: somebody else is not behind all of them', async () => {
    const order: string[] = [];
    const flood = Array.from({ length: SPACING.waitingPerCaller }, async (_, n) => {
      const answer = await attempt('192.0.2.1', `nobody-${n}`);
      order.push('flood');
      return answer;
    });
    const right = await attempt('198.51.100.1', user.username, PASSWORD);
    order.push('user');
    expect(right.status).toBe(201);
    expect(new Set(statusesOf(await Promise.all(flood)))).toEqual(new Set([401]));
    expect(order.indexOf('user')).toBeLessThan(SPACING.waitingPerCaller - 1);
  });

  it('that are more than its share are refused unread, and count against no account', async () => {
    const { refused, others } = await sendMany(50, '192.0.2.2', () => attempt('192.0.2.2', user.username));
    for (const { status, headers, body } of refused) {
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(body.message).toMatch(/^Too many/);
    }
    expect(refused).toHaveLength(50 - SPACING.waitingPerCaller);
    expect(new Set(statusesOf(others))).toEqual(new Set([401]));
    const rows = await world.db.signInFailures.findMany();
    expect(Math.max(...rows.map(({ count }) => count))).toBe(SPACING.waitingPerCaller);
  });

  it('share the limit of their network of IPv6', async () => {
    const { refused } = await sendMany(40, '2001:db8:1:2::', (n) =>
      attempt(`2001:db8:1:2::${n.toString(16)}`, 'nobody'),
    );
    expect(new Set(statusesOf(refused))).toEqual(new Set([429]));
    expect(refused).toHaveLength(40 - SPACING.waitingPerCaller);
  });

  it('leave no rows for the names they make up once the address is over its limit', async () => {
    await world.db.signInFailures.create({
      data: { key: 'address 192.0.2.3', count: ADDRESS_LIMIT, since: new Date() },
    });
    for (let n = 0; n < 5; n += 1) expect((await attempt('192.0.2.3', `made-up-${n}`)).status).toBe(429);
    expect(await world.db.signInFailures.count()).toBe(1);
  });

  it('of a few clients at once are all answered', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => attempt('192.0.2.4', user.username, PASSWORD)));
    expect(statusesOf(answers)).toEqual([201, 201, 201]);
  });
});

describe('Attempts from many addresses at once', () => {
  it('beyond a short queue are told to come back, in every place where a password is taken', async () => {
    const visitor = new Browser((method, path, sent) =>
      send(method, path, { ...sent, headers: { ...sent?.headers, ...from('203.0.113.1') } }),
    );
    await visitor.get('/users/sign_in');
    const gate = Promise.withResolvers<void>();
    const addresses = Array.from({ length: SPACING.concurrency + SPACING.waiting }, (_, n) => `192.0.2.${n}`);
    const before = addresses.map((address) => spaced(address, () => gate.promise));
    const basic = Buffer.from(`${user.username}:${PASSWORD}`).toString('base64');
    const grant = new URLSearchParams({ grant_type: 'password', username: user.username, password: PASSWORD });
    const input = { login: user.username, currentPassword: PASSWORD, newPassword: 'another password' };
    const others = await Promise.all([
      attempt('203.0.113.2', user.username, PASSWORD),
      visitor.submit('/users/sign_in', { login: user.username, password: PASSWORD }),
      send('POST', '/oauth/token', { headers: { ...FORM, ...from('203.0.113.3') }, body: grant.toString() }),
      send('GET', '/no/such.git/info/refs?service=git-upload-pack', {
        headers: { Authorization: `Basic ${basic}`, ...from('203.0.113.4') },
      }),
      send('POST', '/graphql', {
        headers: from('203.0.113.5'),
        body: {
          query: 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id } } }',
          variables: { input },
        },
      }),
    ]);
    gate.resolve();
    await Promise.all(before);
    for (const { status, headers } of others) if (status === 503) expect(headers['retry-after']).toBe('5');
    expect([statusesOf(others), others[4]?.body.errors[0].extensions]).toEqual([
      [503, 503, 503, 503, 200],
      { code: 'UNAVAILABLE', retryAfter: 5 },
    ]);
    expect(others[2]?.body).toMatchObject({ error: 'temporarily_unavailable' });
    expect(visitor.page).toContain('The server is busy');
    expect(await world.db.signInFailures.count()).toBe(0);
    expect((await attempt('203.0.113.2', user.username, PASSWORD)).status).toBe(201);
  });
});
