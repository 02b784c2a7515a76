import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { startReceiver, type Told } from '../support/receiver.ts';
import { printed, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const { directory, remove } = scratchDirectory();
const receiver = await startReceiver();
const workers = new Set<ChildProcess>();
let server: ServerProcess | undefined;

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await server?.end('SIGTERM');
  remove();
});

async function send(method: string, at: string, body?: object): Promise<{ status: number; body: { id: number } }> {
  const headers = {
    'PRIVATE-TOKEN': printed(server?.output() ?? '', 'Private token') ?? '',
    'Content-Type': 'application/json',
  };
  const answer = await fetch(`${server?.url}/api/v4${at}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as { id: number } };
}

const env = (more: Record<string, string> = {}) => settings(directory, { GANTRY_WEBHOOK_HOSTS: '127.0.0.1', ...more });

/** Starts `gantry work` and waits until it does, or until it is killed. */
async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [packagePath('bin/gantry.js'), 'work', '--queues', 'hooks.deliver'], {
    env: env(),
    cwd: tmpdir(),
  });
  workers.add(worker);
  await Promise.race([once(worker.stdout, 'data'), once(worker, 'close')]);
  return worker;
}

const title = ({ body }: Told): string => body.object_attributes.title;
const idOf = ({ headers }: Told) => String(headers['webhook-id']);

test('webhooks reach their receiver at least once and in order, whichever process is killed between sending and noting it', {
  timeout: 300_000,
}, async () => {
  server = await startServer(env({ GANTRY_QUEUES: 'none' }));
  const { body: project } = await send('POST', '/projects', { name: 'watched' });
  const hook = { url: receiver.url('/told'), issues_events: true, token: 'secret' };
  expect((await send('POST', `/projects/${project.id}/hooks`, hook)).status).toBe(201);
  const titles = Array.from({ length: 40 }, (_, index) => `Issue ${index}`);
  const create = async (some: string[]) => {
    for (const one of some) await send('POST', `/projects/${project.id}/issues`, { title: one });
  };

  // Whoever sends these two gets no answer: it is killed after the receiver has got them.
  const deadly = new Set(['Issue 5', 'Issue 20']);
  receiver.answer('/told', (told, response) => {
    if (!deadly.delete(title(told))) return void response.end();
    for (const worker of workers) worker.kill('SIGKILL');
    workers.clear();
  });
  await create(titles.slice(0, 10));
  expect(receiver.told).toEqual([]);
  for (const some of [titles.slice(10, 20), titles.slice(20, 30)]) {
    await Promise.all([startWorker(), startWorker()]);
    await create(some);
    while (workers.size > 0) await sleep(50);
  }
  await Promise.all([startWorker(), startWorker()]);
  await create(titles.slice(30));
  await receiver.next('/told', (told) => title(told) === 'Issue 39');

  const told = receiver.at('/told');
  expect([...new Set(told.map(title))]).toEqual(titles);
  expect(told.map(title).filter((one) => one === 'Issue 5').length).toBeGreaterThan(1);
  expect(new Set(told.map(idOf)).size).toBe(titles.length);
  const ids = new Map(told.map((one) => [title(one), idOf(one)]));
  expect(told.every((one) => ids.get(title(one)) === idOf(one))).toBe(true);
});
