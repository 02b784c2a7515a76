import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { run, workingCopy } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import {
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

/** In bytes. */
const LARGE = 150 * 1024 * 1024;

const source = scratchDirectory();
const target = scratchDirectory();
let server: ServerProcess | undefined;
const origin = await startServer(settings(source.directory));
/** What stands before the origin, and stops in the middle of the first answers. */
let most_through = 5 * 1024 * 1024;
let passed = 0;
const slow = createServer((asked, response) => {
  const to = request(
    `${origin.url}${asked.url}`,
    { method: asked.method ?? 'GET', headers: asked.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('data', (chunk: Buffer) => {
        passed += chunk.length;
        if (passed > most_through) return answer.pause();
        response.write(chunk);
      });
      answer.on('end', () => response.end());
      response.on('close', () => answer.destroy());
    },
  );
  to.on('error', () => response.destroy());
  asked.pipe(to);
});
slow.listen(0, '127.0.0.1');
await once(slow, 'listening');
const { port } = slow.address() as AddressInfo;

afterAll(async () => {
  slow.closeAllConnections();
  slow.close();
  await server?.end('SIGTERM');
  await origin.end('SIGTERM');
  source.remove();
  target.remove();
});

test('an import whose server is killed half-way is done by the next one', {
  timeout: 180_000,
}, async () => {
  const token = printed(origin.output(), 'Private token') ?? '';
  await create(origin, token, { name: 'large' });
  const work = await largeCopy();
  await run(
    work,
    'push',
    '--quiet',
    `${origin.url.replace('http://', `http://oauth2:${token}@`)}/root/large.git`,
    'main',
  );

  const env = settings(target.directory, { GANTRY_IMPORT_HOSTS: `127.0.0.1:${port}` });
  server = await startServer(env);
  const own = printed(server.output(), 'Private token') ?? '';
  const url = `http://oauth2:${token}@127.0.0.1:${port}/root/large.git`;
  const { id } = await create(server, own, { name: 'copy', import_url: url });
  await until(() => passed > most_through || undefined);
  expect((await read(server, own, id)).import_status).toBe('started');
  expect(drafts()).toHaveLength(1);
  await server.end('SIGKILL');
  expect(server.output()).not.toContain(token);

  most_through = Number.POSITIVE_INFINITY;
  server = await startServer(env);
  for (let status = 'started'; status === 'started'; await sleep(50)) {
    ({ import_status: status } = await read(server, own, id));
    if (status !== 'started') expect(status).toBe('finished');
  }
  expect(drafts()).toEqual([]);
  const [repository = ''] = repositories();
  expect(git(repository, ['fsck', '--strict'])).toBe('');
  expect(git(repository, ['rev-parse', 'main'])).toBe(`${await run(work, 'rev-parse', 'HEAD')}\n`);
});

interface Answer {
  id: number;
  import_status: string;
}

async function create({ url }: ServerProcess, token: string, body: object): Promise<Answer> {
  const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/api/v4/projects`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Answer;
}

async function read({ url }: ServerProcess, token: string, id: number): Promise<Answer> {
  const answer = await fetch(`${url}/api/v4/projects/${id}`, { headers: { 'PRIVATE-TOKEN': token } });
  return (await answer.json()) as Answer;
}

async function largeCopy(): Promise<string> {
  const work = await workingCopy();
  const file = openSync(path.join(work, 'large'), 'w');
  for (let written = 0; written < LARGE; written += 1 << 20) writeSync(file, randomBytes(1 << 20));
  closeSync(file);
  await run(work, 'add', '.');
  await run(work, 'commit', '--quiet', '-m', 'Large');
  return work;
}

function found(): string[] {
  const root = path.join(target.directory, 'repositories');
  return readdirSync(root).flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(root, folder, name)),
  );
}
const drafts = () => found().filter((name) => name.includes('.import-'));
const repositories = () => found().filter((name) => name.endsWith('.git'));
