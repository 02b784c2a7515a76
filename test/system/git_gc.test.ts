import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';

/** How many writes each server takes before it is killed. */
const WRITES = 8;

/** Branches that were answered with success, and their commits. */
type Made = Map<string, string>;

interface Target {
  url: string;
  /** Ends all work. */
  signal: AbortSignal;
}

async function push({ url, signal }: Target, name: string, made: Made): Promise<void> {
  const work = await workingCopy();
  await run(work, 'pull', '--quiet', url, 'main');
  for (let at = 0; !signal.aborted; at++) {
    const head = await commitFile(work, 'pushed.txt', `${name} ${at}\n`);
    const branch = `${name}/${at}`;
    if ((await gitClient(work, 'push', '--quiet', url, `HEAD:refs/heads/${branch}`)).code === 0) made.set(branch, head);
    await run(work, 'reset', '--quiet', '--hard', 'HEAD~1');
  }
}

async function commit(send: Send, { signal }: Target, name: string, made: Made): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    const branch = `${name}/${at}`;
    const actions = [{ action: 'create', file_path: branch, content: branch }];
    try {
      await send('POST', 'branches', { branch, ref: 'main' });
      const answer = await send('POST', 'commits', { branch, commit_message: 'More', actions });
      const { id } = (await answer.json()) as { id: string };
      if (answer.status === 201) made.set(branch, id);
    } catch {
      // The server was killed.
      await sleep(20);
    }
  }
}

type Send = (method: string, path: string, body: object) => Promise<Response>;

test('objects and refs are kept while somebody cleans up and servers are killed, and nothing stays locked', {
  timeout: 300_000,
}, async () => {
  const own = scratchDirectory();
  let server = await startServer(settings(own.directory));
  const key = printed(server.output(), 'Private token') ?? '';
  const headers = { 'PRIVATE-TOKEN': key, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'kept' });
  const created = await fetch(`${server.url}/api/v4/projects`, { method: 'POST', headers, body });
  const { id, path_with_namespace: name } = (await created.json()) as { id: number; path_with_namespace: string };
  const send: Send = (method, path, content) =>
    fetch(`${server.url}/api/v4/projects/${id}/repository/${path}`, { method, headers, body: JSON.stringify(content) });
  const urlNow = () => `${server.url.replace('http://', `http://oauth2:${key}@`)}/${name}.git`;
  const repository = `${own.directory}/repositories/${id.toString(16).padStart(2, '0')}/${id}.git`;
  const seed = await workingCopy();
  await commitFile(seed, 'a.txt', 'a\n');
  await run(seed, 'push', '--quiet', urlNow(), 'main');

  const made: Made = new Map([['main', await run(seed, 'rev-parse', 'HEAD')]]);
  for (const round of [0, 1, 2]) {
    const stop = new AbortController();
    const target = { url: urlNow(), signal: stop.signal };
    const cleaning = (async () => {
      while (!stop.signal.aborted) {
        await gitClient(repository, '-c', 'safe.directory=*', 'gc', '--quiet', '--prune=now');
        await sleep(30);
      }
    })();
    const before = made.size;
    const writing = [push(target, `push${round}`, made), commit(send, target, `commit${round}`, made)];
    while (made.size < before + WRITES) await sleep(10);
    await sleep(round * 100);
    await server.end('SIGKILL');
    stop.abort();
    await Promise.all([cleaning, ...writing]);
    expect(git(repository, ['fsck', '--strict', '--no-dangling'])).toBe('');
    const lines = gitLines(repository, ['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)']);
    const present = new Map(lines.map((line) => line.split(' ') as [string, string]));
    expect([...made].filter(([branch, oid]) => present.get(branch) !== oid)).toEqual([]);
    server = await startServer(settings(own.directory));
  }
  await commitFile(seed, 'b.txt', 'b\n');
  await run(seed, 'push', '--quiet', urlNow(), 'main');
  const last = { branch: 'main', content: 'c', commit_message: 'Last' };
  expect((await send('POST', 'files/c', last)).status).toBe(201);
  for (const branch of made.keys()) {
    if (branch === 'main') continue;
    const answer = await send('POST', 'files/last', { ...last, branch });
    expect([branch, answer.status]).toEqual([branch, 201]);
  }
  expect(git(repository, ['fsck', '--strict', '--no-dangling'])).toBe('');
  await server.end('SIGTERM');
  own.remove();
});
