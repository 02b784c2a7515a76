import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
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

/** A server with a project whose branch many write to; it starts again on the same data. */
async function startWriting() {
  const own = scratchDirectory();
  let server = await startServer(settings(own.directory));
  onTestFinished(async () => {
    await server.end('SIGTERM');
    own.remove();
  });
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
  /** Commits that were answered with success. */
  const known: string[] = [];

  async function write(name: string, at = server): Promise<void> {
    const actions = [{ action: 'create', file_path: name, content: name }];
    const { status, body } = await call(at, `projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: name,
      actions,
    });
    if (status !== 201) throw new Error(`A commit answered ${status}: ${JSON.stringify(body)}`);
    known.push(body.id);
  }

  /** Kills the server while many write, and starts it again. */
  async function killWhileWriting(round: number): Promise<void> {
    let isOver = false;
    const at = server;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        await write(`${round}/${writer}-${n}`, at).catch((error) => {
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

  /** The commits of which events tell, sorted; one is there as often as it is told of. */
  async function told(): Promise<string[]> {
    const commits: string[] = [];
    for (let page = 1; ; page++) {
      const { body } = await call(server, `projects/${id}/events?per_page=100&page=${page}`);
      for (const { data } of body) commits.push(...(data?.commits ?? []).map((commit: { id: string }) => commit.id));
      if (body.length < 100) return commits.sort();
    }
  }

  const directory = path.join(own.directory, 'repositories', id.toString(16).padStart(2, '0'), `${id}.git`);
  return { known, write, killWhileWriting, told, directory };
}

test('commits of many writers to one branch that were answered with success outlive kill -9, each told of once', {
  timeout: 240_000,
}, async () => {
  const { known, write, killWhileWriting, told, directory } = await startWriting();
  await write('first');
  for (let round = 0; round < 3; round++) await killWhileWriting(round);
  const line = gitLines(directory, ['rev-list', '--reverse', 'main']);
  expect(gitLines(directory, ['rev-list', '--min-parents=2', 'main'])).toEqual([]);
  expect(known.filter((oid) => !line.includes(oid))).toEqual([]);
  expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  // What a crash left unrecorded is recorded after the start: then each commit is told of once.
  await until(async () => ((await told()).length >= line.length ? true : undefined));
  expect(await told()).toEqual([...line].sort());
});
