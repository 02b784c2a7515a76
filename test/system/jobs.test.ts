import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { printed, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const { directory, remove } = scratchDirectory();
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.end('SIGTERM');
  remove();
});

test('a job whose server is killed half-way is done by the next one', { timeout: 120_000 }, async () => {
  server = await startServer(settings(directory));
  const headers = { 'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '' };
  const send = (method: string, at: string, body: Record<string, unknown> = {}) =>
    fetch(`${server?.url}/api/v4${at}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const group = (await (await send('POST', '/groups', { name: 'Big', path: 'big' })).json()) as { id: number };
  for (let n = 0; n < 150; n += 1) await send('POST', '/projects', { name: `p${n}`, namespace_id: group.id });
  expect((await send('DELETE', `/groups/${group.id}`)).status).toBe(204);
  await server.end('SIGKILL');

  server = await startServer(settings(directory));
  const before = await remaining();
  expect(before).toBeGreaterThan(0);
  while ((await remaining()) > 0) await sleep(500);
  // The path is free, and was so from the start.
  const again = await fetch(`${server.url}/api/v4/groups`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Big', path: 'big' }),
  });
  expect(again.status).toBe(201);
});

/** How many projects and namespaces wait for their removal. */
async function remaining(): Promise<number> {
  const holder: { databaseUrl: string } = JSON.parse(readFileSync(path.join(directory, 'holder.json'), 'utf8'));
  const client = new pg.Client({ connectionString: holder.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(
      `select ((select count(*) from projects where deleted_at is not null)
         + (select count(*) from namespaces where deleted_at is not null))::int as n`,
    );
    return rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}
