import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname, tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import {
  gantry,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

const { directory, remove } = scratchDirectory();
const workers: ChildProcess[] = [];
let server: ServerProcess | undefined;

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await server?.end('SIGTERM');
  remove();
});

interface Metrics {
  queues: Record<string, { backlog: number; latency: number }>;
  processes: { hostname: string; pid: number; labels: string[]; queues: string[]; concurrency: number }[];
  jobs: { processed: number; failed: number; enqueued: number };
}

async function send(method: string, at: string, body?: object): Promise<Response> {
  const headers = {
    'PRIVATE-TOKEN': printed(server?.output() ?? '', 'Private token') ?? '',
    'Content-Type': 'application/json',
  };
  return fetch(`${server?.url}/api/v4${at}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const metrics = async () => (await (await send('GET', '/bgjobs/compound_metrics')).json()) as Metrics;

/** Starts `gantry work` and waits until it does. */
async function startWorker(...args: string[]): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [packagePath('bin/gantry.js'), 'work', ...args], {
    env: settings(directory),
    cwd: tmpdir(),
  });
  workers.push(worker);
  const [said] = (await once(worker.stdout, 'data')) as [Buffer];
  expect(String(said)).toContain('is working on background jobs');
  return worker;
}

test('workers of their own do the jobs; what one leaves half-done when it is killed, another one does', {
  timeout: 180_000,
}, async () => {
  server = await startServer(settings(directory, { GANTRY_QUEUES: 'none' }));
  expect((await metrics()).processes).toEqual([]);
  const group = (await (await send('POST', '/groups', { name: 'Big', path: 'big' })).json()) as { id: number };
  for (let n = 0; n < 100; n += 1) await send('POST', '/projects', { name: `p${n}`, namespace_id: group.id });
  expect((await send('DELETE', `/groups/${group.id}`)).status).toBe(204);
  // The server itself leaves it alone.
  expect((await metrics()).queues['namespaces.remove']?.backlog).toBe(1);

  const first = await startWorker('--queues', 'namespaces.remove', '--concurrency', '2', '--label', 'first');
  const shown = (await metrics()).processes;
  expect(shown).toMatchObject([
    { hostname: hostname(), pid: first.pid, labels: ['first'], queues: ['namespaces.remove'], concurrency: 2 },
  ]);
  while ((await metrics()).queues['namespaces.remove']?.backlog !== 0) await sleep(20);
  first.kill('SIGKILL');
  await once(first, 'close');

  const second = await startWorker('--label', 'second');
  while ((await metrics()).jobs.processed === 0 || (await metrics()).queues['namespaces.remove']?.backlog !== 0) {
    await sleep(200);
  }
  expect(await (await send('GET', '/groups')).json()).toEqual([]);
  expect((await send('POST', '/groups', { name: 'Big', path: 'big' })).status).toBe(201);
  // Who was killed is on the list no more, and what was counted stays when the other one ends.
  while ((await metrics()).processes.some(({ labels }) => labels.includes('first'))) await sleep(500);
  const { processed } = (await metrics()).jobs;
  second.kill('SIGTERM');
  await once(second, 'close');
  const left = await metrics();
  expect(left.processes).toEqual([]);
  expect(left.jobs.processed).toBeGreaterThanOrEqual(processed);

  const odd = await gantry(['work', '--queues', 'no.such'], settings(directory));
  expect([odd.status, odd.stderr]).toEqual([1, expect.stringContaining('There is no queue "no.such"')]);
  expect((await gantry(['jobs', 'dead'], settings(directory))).stdout).toBe('No jobs have failed for good.\n');
});
