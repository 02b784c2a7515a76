import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { clone, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import { printed, scratchDirectory, settings, startServer, until } from '../support/server_process.ts';

const { directory, remove } = scratchDirectory();
const server = await startServer(settings(directory));
const token = printed(server.output(), 'Private token') ?? '';
afterAll(async () => {
  await server.end('SIGTERM');
  remove();
});

const LARGE = 100 * 1024 * 1024;
/** Milliseconds for a test on a slow machine. */
const TIMEOUT = 300_000;

async function project(name: string): Promise<{ id: number; url: string; directory: string }> {
  const answer = await fetch(`${server.url}/api/v4/projects`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const { id, http_url_to_repo: url } = (await answer.json()) as { id: number; http_url_to_repo: string };
  const folder = path.join(directory, 'repositories', (id % 256).toString(16).padStart(2, '0'), `${id}.git`);
  return { id, url: url.replace('http://', `http://oauth2:${token}@`), directory: folder };
}

/** The processes that the server has started and that still run, by their command lines. */
function gitProcesses(of: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(of) && line.startsWith('git') ? [line] : [];
      } catch {
        return [];
      }
    });
}

async function largeCopy(size: number): Promise<string> {
  const work = await workingCopy();
  const file = openSync(path.join(work, 'large'), 'w');
  for (let written = 0; written < size; written += 1 << 20) writeSync(file, randomBytes(1 << 20));
  closeSync(file);
  await run(work, 'add', '.');
  await run(work, 'commit', '--quiet', '-m', 'Large');
  return work;
}

test.runIf(existsSync('/proc/self/status'))(
  'large pushes and clones pass through whole, and who goes away in the middle of one leaves no program behind',
  { timeout: TIMEOUT },
  async () => {
    const target = await project('large');
    const work = await largeCopy(LARGE);
    await run(work, 'push', '--quiet', target.url, 'main');
    expect(statSync(path.join(await clone(target.url), 'large')).size).toBe(LARGE);
    expect(git(target.directory, ['fsck', '--strict'])).toBe('');

    // A client that reads slowly, and goes away.
    const slow = request(`${target.url}/git-upload-pack`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-git-upload-pack-request' },
    });
    slow.on('error', () => undefined);
    slow.end(`0032want ${git(target.directory, ['rev-parse', 'main']).trim()}\n00000009done\n`);
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined).pause();
    expect(answer.statusCode).toBe(200);
    expect(gitProcesses(target.directory).length).toBeGreaterThan(0);
    slow.destroy();
    // Programs that the server keeps for its own reads end by themselves a while after the last one.
    const ofClients = () => gitProcesses(target.directory).filter((line) => !line.includes(' cat-file '));
    await until(() => (ofClients().length === 0 ? true : undefined));
  },
);

test('a server that is killed during a push leaves the repository as it was, and takes the push after its start', {
  timeout: TIMEOUT,
}, async () => {
  const own = scratchDirectory();
  const first = await startServer(settings(own.directory));
  const key = printed(first.output(), 'Private token') ?? '';
  const headers = { 'PRIVATE-TOKEN': key, 'Content-Type': 'application/json' };
  const made = await fetch(`${first.url}/api/v4/projects`, { method: 'POST', headers, body: '{"name":"killed"}' });
  const { id, path_with_namespace: name } = (await made.json()) as { id: number; path_with_namespace: string };
  const work = await largeCopy(LARGE / 2);
  const urlAt = (base: string) => `${base.replace('http://', `http://oauth2:${key}@`)}/${name}.git`;
  const pushing = gitClient(work, 'push', urlAt(first.url), 'main');
  const repository = path.join(own.directory, 'repositories', id.toString(16).padStart(2, '0'), `${id}.git`);
  const incoming = () =>
    existsSync(repository) &&
    readdirSync(path.join(repository, 'objects')).some((entry) => entry.startsWith('incoming-'));
  while (!incoming()) await sleep(5);
  await sleep(200);
  await first.end('SIGKILL');
  expect((await pushing).code).not.toBe(0);
  expect(git(repository, ['for-each-ref'])).toBe('');

  const second = await startServer(settings(own.directory));
  await run(work, 'push', '--quiet', urlAt(second.url), 'main');
  expect(git(repository, ['fsck', '--strict'])).toBe('');
  expect(git(repository, ['rev-parse', 'main'])).toBe(`${await run(work, 'rev-parse', 'main')}\n`);
  await second.end('SIGTERM');
  own.remove();
});

test('a server that is killed while 2,000 refs are pushed holds good ones, knows them after its start, and takes the rest', {
  timeout: TIMEOUT,
}, async () => {
  const own = scratchDirectory();
  const work = await workingCopy();
  await run(work, 'commit', '--quiet', '--allow-empty', '-m', 'One');
  const head = await run(work, 'rev-parse', 'HEAD');
  const names = Array.from({ length: 2_000 }, (_, at) => `refs/heads/b/${at}`);
  git(path.join(work, '.git'), ['update-ref', '--stdin'], names.map((name) => `create ${name} ${head}\n`).join(''));
  const refsOf = (repository: string) => git(repository, ['for-each-ref', '--format=%(objectname) %(refname)']);
  let server = await startServer(settings(own.directory));
  const key = printed(server.output(), 'Private token') ?? '';
  const headers = { 'PRIVATE-TOKEN': key, 'Content-Type': 'application/json' };
  for (const round of [0, 2]) {
    const body = JSON.stringify({ name: `many-${round}` });
    const made = await fetch(`${server.url}/api/v4/projects`, { method: 'POST', headers, body });
    const { id, path_with_namespace: name } = (await made.json()) as { id: number; path_with_namespace: string };
    const url = () => `${server.url.replace('http://', `http://oauth2:${key}@`)}/${name}.git`;
    const repository = path.join(own.directory, 'repositories', id.toString(16).padStart(2, '0'), `${id}.git`);
    const pushing = gitClient(work, 'push', '--mirror', url());
    const locked = path.join(repository, 'refs', 'heads', 'main.lock');
    // The refs are being locked, or the first of them are there.
    while (!existsSync(locked) && !existsSync(path.join(repository, 'packed-refs'))) await sleep(1);
    await sleep(round * 150);
    await server.end('SIGKILL');
    await pushing;
    const there = refsOf(repository)
      .split('\n')
      .filter((line) => line !== '');
    const whole = refsOf(path.join(work, '.git')).split('\n');
    expect(there.filter((line) => !whole.includes(line))).toEqual([]);

    server = await startServer(settings(own.directory));
    await run(work, 'push', '--quiet', '--mirror', url());
    expect(refsOf(repository)).toBe(refsOf(path.join(work, '.git')));
    expect(git(repository, ['fsck', '--strict'])).toBe('');
    const listed = await fetch(`${server.url}/api/v4/projects/${id}/repository/branches?per_page=1`, { headers });
    expect(listed.headers.get('x-total')).toBe('2001');
  }
  await server.end('SIGTERM');
  own.remove();
});
