import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { startBalancer } from '../support/balancer.ts';
import { freePort, ownPostgres } from '../support/own_postgres.ts';
import {
  followServer,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const endings: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

const TOKEN = 'upgrade-token-0123456789';

/** This program with more migrations, as the next version has them. */
function nextVersion(directory: string): string {
  for (const name of ['bin', 'src', 'schema', 'rest', 'pages', 'mcp', 'assets', 'prisma', 'package.json']) {
    cpSync(packagePath(name), path.join(directory, name), { recursive: true });
  }
  symlinkSync(packagePath('node_modules'), path.join(directory, 'node_modules'));
  const migrations = {
    '20990101000000_note_of_issues': 'ALTER TABLE issues ADD COLUMN note text; UPDATE issues SET note = title;',
    '20990101000001_find_notes': 'CREATE INDEX CONCURRENTLY issues_note_idx ON issues (note);',
  };
  for (const [name, sql] of Object.entries(migrations)) {
    mkdirSync(path.join(directory, 'prisma', 'migrations', name));
    writeFileSync(path.join(directory, 'prisma', 'migrations', name, 'migration.sql'), sql);
  }
  return path.join(directory, 'bin', 'gantry.js');
}

test('A rolling upgrade with migrations serves throughout, and servers of the version before may restart meanwhile', {
  timeout: 400_000,
}, async () => {
  const scratch = scratchDirectory();
  endings.push(scratch.remove);
  const launcher = nextVersion(path.join(scratch.directory, 'next'));
  const postgres = await ownPostgres();
  endings.push(() => postgres.remove());
  const shared = { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN, GANTRY_DRAIN_SECONDS: '2' };
  const ports = [await freePort(), await freePort()];
  const env = (number: number) =>
    settings(path.join(scratch.directory, 'data'), { ...shared, LOG_LEVEL: 'debug', PORT: String(ports[number]) });
  const servers = (await Promise.all([startServer(env(0)), startServer(env(1))])) as [ServerProcess, ServerProcess];
  endings.push(() => Promise.all(servers.map((server) => server.end('SIGTERM'))));
  const balancer = await startBalancer(servers.map(({ url }) => url));
  endings.push(() => balancer.close());

  const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
  const ask = (method: string, at: string, body?: object) =>
    fetch(`${balancer.url}/api/v4${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const project = (await (await ask('POST', '/projects', { name: 'kept' })).json()) as { id: number };
  const failed: string[] = [];
  let done = 0;
  const stop = new AbortController();
  const client = async (request: () => Promise<Response>) => {
    while (!stop.signal.aborted) {
      const answer = await request().catch((error: Error) => error);
      const text = answer instanceof Error ? answer.message : await answer.text();
      if (answer instanceof Error || !answer.ok) failed.push(`${answer instanceof Error ? '' : answer.status} ${text}`);
      else done += 1;
    }
  };
  const clients = [
    client(() => ask('POST', `/projects/${project.id}/issues`, { title: 'One more' })),
    client(() => ask('GET', `/projects/${project.id}/issues`)),
    client(() => ask('GET', '/projects')),
  ];
  const replace = async (number: 0 | 1, start: () => Promise<ServerProcess>) => {
    expect(await servers[number].end('SIGTERM')).toBe(0);
    servers[number] = await start();
    await until(async () => ((await fetch(`${servers[number].url}/-/readiness`)).ok ? true : undefined));
    // As long as the balancer takes to see it.
    await sleep(1_500);
  };
  const next = (number: number) =>
    followServer(spawn(process.execPath, [launcher, 'serve'], { env: env(number), cwd: tmpdir() }));
  await sleep(1_000);
  await replace(0, () => next(0));
  expect(servers[0].output()).toContain('Applied migration 20990101000001_find_notes');
  await replace(1, () => startServer(env(1)));
  await replace(1, () => next(1));
  stop.abort();
  await Promise.all(clients);
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(30);
});
