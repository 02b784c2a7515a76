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

const ROUNDS = 4;
const EACH = 8;

/** A server with a project whose merge requests are merged; it starts again on the same data. */
async function startMerging() {
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
  const call = async (at: ServerProcess, method: string, address: string, body?: object) => {
    const answer = await fetch(`${at.url}/api/v4/${address}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const made = async (address: string, body: object) => {
    const { status, body: answer } = await call(server, 'POST', address, body);
    if (status !== 201) throw new Error(`${address} answered ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const { id } = await made('projects', { name: 'merged' });
  const at = `projects/${id}`;
  const commit = (branch: string, name: string) =>
    made(`${at}/repository/commits`, {
      branch,
      commit_message: name,
      actions: [{ action: 'create', file_path: name, content: name }],
    });
  await commit('main', 'first');
  const merge = (iid: number, where = server) => call(where, 'PUT', `${at}/merge_requests/${iid}/merge`);
  /** Merge commits that were answered with success. */
  const answered: string[] = [];

  async function openMergeRequests(round: number): Promise<number[]> {
    const iids: number[] = [];
    for (let n = 0; n < EACH; n++) {
      const branch = `topic-${round}-${n}`;
      await made(`${at}/repository/branches`, { branch, ref: 'main' });
      await commit(branch, `${branch}.txt`);
      const values = { title: branch, source_branch: branch, target_branch: 'main', remove_source_branch: n % 2 === 0 };
      iids.push((await made(`${at}/merge_requests`, values)).iid);
    }
    return iids;
  }

  /** Kills the server while merge requests are merged all at once, and starts it again. */
  async function killWhileMerging(round: number): Promise<void> {
    const iids = await openMergeRequests(round);
    const busy = server;
    const before = answered.length;
    const merges = iids.map(async (iid) => {
      const { status, body } = await merge(iid, busy);
      if (status === 200) answered.push(body.merge_commit_sha);
    });
    const settled = Promise.allSettled(merges);
    await until(async () => (answered.length > before + round * 2 ? true : undefined));
    await sleep(round * 7);
    await server.end('SIGKILL');
    await settled;
    server = await startServer(settings(own.directory));
  }

  async function mergeRequests() {
    const pages = [1, 2, 3, 4, 5, 6, 7, 8].map((page) => call(server, 'GET', `${at}/merge_requests?page=${page}`));
    return (await Promise.all(pages)).flatMap(({ body }) => body);
  }

  async function events() {
    const { body: first } = await call(server, 'GET', `${at}/events?per_page=100`);
    const pages = [first];
    while (pages.at(-1).length === 100) {
      pages.push((await call(server, 'GET', `${at}/events?per_page=100&page=${pages.length + 1}`)).body);
    }
    return pages.flat();
  }

  const directory = path.join(own.directory, 'repositories', id.toString(16).padStart(2, '0'), `${id}.git`);
  return { answered, merge, killWhileMerging, mergeRequests, events, directory };
}

test('after kill -9 in the middle of merges git and the record of each merge request agree', {
  timeout: 300_000,
}, async () => {
  const { answered, merge, killWhileMerging, mergeRequests, events, directory } = await startMerging();
  for (let round = 0; round < ROUNDS; round++) await killWhileMerging(round);
  const ofGit = () => gitLines(directory, ['rev-list', '--first-parent', '--min-parents=2', 'main']);
  // What a crash left unrecorded is recorded after the start.
  const merged = async () => (await mergeRequests()).filter(({ state }) => state === 'merged');
  await until(async () => ((await merged()).length === ofGit().length ? true : undefined));
  const inGit = ofGit();
  expect(new Set(inGit).size).toBe(inGit.length);
  expect((await merged()).map(({ merge_commit_sha }) => merge_commit_sha).sort()).toEqual([...inGit].sort());
  expect(answered.filter((oid) => !inGit.includes(oid))).toEqual([]);
  for (const { sha, merge_commit_sha } of await merged()) {
    expect(gitLines(directory, ['show', '-s', '--format=%P', merge_commit_sha])[0]?.split(' ')[1]).toBe(sha);
  }
  expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  // The others are open, and are merged when somebody asks again.
  for (const { iid, state } of await mergeRequests()) {
    if (state !== 'merged') expect((await merge(iid)).status).toBe(200);
  }
  expect(ofGit()).toHaveLength(ROUNDS * EACH);
  // Each merge is told of once.
  const accepted = (await events()).filter(({ action_name }) => action_name === 'accepted');
  expect(new Set(accepted.map(({ target_id }) => target_id)).size).toBe(ROUNDS * EACH);
  expect(accepted).toHaveLength(ROUNDS * EACH);
});
