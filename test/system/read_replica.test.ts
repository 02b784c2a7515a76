import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/http.ts';
import { freePort, type OwnPostgres, ownPostgres } from '../support/own_postgres.ts';
import { startStandby } from '../support/replicated_postgres.ts';
import { type ServerProcess, scratchDirectory, settings, startServer, until } from '../support/server_process.ts';

const TOKEN = 'read-replica-token-0123456789';
const scratch = scratchDirectory();
let primary: OwnPostgres;
let copy: OwnPostgres;
/** Two servers with one copy: what one was told, the other has to know. */
const servers: ServerProcess[] = [];

beforeAll(async () => {
  const cluster = path.join(scratch.directory, 'primary');
  primary = await ownPostgres({}, { cluster });
  copy = await startStandby(primary, cluster, path.join(scratch.directory, 'copy'));
  for (let count = 0; count < 2; count++) {
    const PORT = String(await freePort());
    const more = { PORT, DATABASE_URL: primary.url, DATABASE_READ_URL: copy.url, GANTRY_ROOT_TOKEN: TOKEN };
    servers.push(await startServer(settings(scratch.directory, more)));
  }
}, 300_000);

afterAll(async () => {
  for (const server of servers) await server.end('SIGTERM');
  await copy?.remove();
  await primary?.remove();
  scratch.remove();
});

async function call(at: number, method: string, path: string, body?: object, token = TOKEN): Promise<Json> {
  const response = await fetch(`${servers[at]?.url}/api/v4${path}`, {
    method,
    headers: { ...(token !== '' && { 'private-token': token }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json().catch(() => null);
  expect([method, path, response.status < 300, answer]).toEqual([method, path, true, answer]);
  return answer;
}

/** How many statements on a table of projects the copy has been asked. */
async function readsThere(): Promise<number> {
  const [row] = await copy.query<{ count: string }>(
    "SELECT (seq_scan + COALESCE(idx_scan, 0))::text AS count FROM pg_stat_user_tables WHERE relname = 'projects'",
  );
  return Number(row?.count ?? 0);
}

/** Waits until the copy answers the requests. */
async function untilUsed(): Promise<void> {
  await until(async () => {
    const before = await readsThere();
    await call(0, 'GET', '/projects?per_page=1');
    await call(1, 'GET', '/projects?per_page=1');
    await sleep(1_100);
    return (await readsThere()) > before || undefined;
  }, 60_000);
}

test('Reads go to the copy of callers who have not written in the last seconds', { timeout: 120_000 }, async () => {
  await call(0, 'POST', '/projects', { name: 'Seen by all', visibility: 'public' });
  await untilUsed();
  const before = await readsThere();
  for (let count = 0; count < 5; count++) {
    const response = await fetch(`${servers[0]?.url}/api/graphql`, {
      method: 'POST',
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ projects { nodes { name } } }' }),
    });
    expect(JSON.stringify(await response.json())).toContain('Seen by all');
  }
  // PostgreSQL tells what was read when it has time for it.
  await until(async () => (await readsThere()) > before || undefined);
});

test('Whoever wrote reads it at once from each server, while the copy is behind', { timeout: 120_000 }, async () => {
  await untilUsed();
  await copy.query('SELECT pg_wal_replay_pause()');
  try {
    for (let count = 0; count < 5; count++) {
      const { id } = await call(count % 2, 'POST', '/projects', { name: `Just made ${count}` });
      const found = await call((count + 1) % 2, 'GET', `/projects/${id}`);
      expect(found.name).toBe(`Just made ${count}`);
      await call(count % 2, 'PUT', `/projects/${id}`, { description: `Changed ${count}` });
      expect((await call((count + 1) % 2, 'GET', `/projects/${id}`)).description).toBe(`Changed ${count}`);
    }
  } finally {
    await copy.query('SELECT pg_wal_replay_resume()');
  }
});

test('A copy that is more than two seconds behind is left alone until it has caught up', {
  timeout: 120_000,
}, async () => {
  await untilUsed();
  await copy.query('SELECT pg_wal_replay_pause()');
  try {
    const { id } = await call(0, 'POST', '/projects', { name: 'Made meanwhile', visibility: 'public' });
    // Visitors have written nothing.
    await sleep(3_000);
    for (const at of [0, 1])
      expect((await call(at, 'GET', `/projects/${id}`, undefined, '')).name).toBe('Made meanwhile');
  } finally {
    await copy.query('SELECT pg_wal_replay_resume()');
  }
  await untilUsed();
});

test('No request fails when the copy hangs', { timeout: 120_000 }, async () => {
  await untilUsed();
  const goOn = copy.pause();
  try {
    for (let count = 0; count < 6; count++) await call(count % 2, 'GET', '/projects?per_page=1');
  } finally {
    goOn();
  }
  await untilUsed();
});

test('No request fails when the copy dies, and it is used again when it is back', { timeout: 120_000 }, async () => {
  await untilUsed();
  let isOver = false;
  const asking = (async () => {
    let count = 0;
    for (; !isOver; count++) await call(count % 2, 'GET', '/projects?per_page=1');
    return count;
  })();
  await sleep(300);
  await copy.stop('immediate');
  await sleep(4_000);
  isOver = true;
  expect(await asking).toBeGreaterThan(10);
  await copy.start();
  await untilUsed();
});
