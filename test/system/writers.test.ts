import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { git, gitLines } from '../support/git_program.ts';
import {
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const WRITERS = 12;

test('commits of many writers to one branch that were answered with success outlive kill -9, each told of once', {
  timeout: 240_000,
}, async () => {
  const own = scratchDirectory();
  let server = await startServer(settings(own.directory));
  const headers = {
    'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '',
    'Content-Type': 'application/json',
  };
  const call = async (at: ServerProcess, address: string, body?: object) => {
    const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${at.url}/api/v4/${address}`, { headers, ...given });
    return { status: answer.status, body: await answer.json() };
  };
  const { id } = (await call(server, 'projects', { name: 'killed' })).body;
  const known: string[] = [];
  const write = async (at: ServerProcess, name: string) => {
    const actions = [{ action: 'create', file_path: name, content: name }];
    const { status, body } = await call(at, `projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: name,
      actions,
    });
    if (status !== 201) throw new Error(`A commit answered ${status}: ${JSON.stringify(body)}`);
    known.push(body.id);
  };
  await write(server, 'first');
  for (let round = 0; round < 3; round++) {
    let isOver = false;
    const at = server;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        await write(at, `${round}/${writer}-${n}`).catch((error) => {
          if (!isOver) throw error;
        });
      }
    });
    const before = known.length;
    await until(async () => (known.length > before + 40 ? true : undefined));
    await sleep(round * 30);
    isOver = true;
    await server.end('SIGKILL');
    await Promise.all(writers);
    server = await startServer(settings(own.directory));
  }
  const directory = path.join(own.directory, 'repositories', id.toString(16).padStart(2, '0'), `${id}.git`);
  const line = gitLines(directory, ['rev-list', '--reverse', 'main']);
  expect(gitLines(directory, ['rev-list', '--min-parents=2', 'main'])).toEqual([]);
  expect(known.filter((oid) => !line.includes(oid))).toEqual([]);
  expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  // What a crash left unrecorded is recorded after the start: then each commit is told of once.
  const told = async () => {
    const commits: string[] = [];
    for (let page = 1; ; page++) {
      const { body } = await call(server, `projects/${id}/events?per_page=100&page=${page}`);
      for (const { data } of body) commits.push(...(data?.commits ?? []).map((commit: { id: string }) => commit.id));
      if (body.length < 100) return commits.sort();
    }
  };
  await until(async () => ((await told()).length >= line.length ? true : undefined));
  expect(await told()).toEqual([...line].sort());
  await server.end('SIGTERM');
  own.remove();
});
