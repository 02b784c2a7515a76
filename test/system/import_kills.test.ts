import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { git } from '../support/git_program.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import type { Json } from '../support/http.ts';
import { expectHelloWorld } from '../support/moved_project.ts';
import { freePort, type OwnPostgres, ownPostgres } from '../support/own_postgres.ts';
import { type ServerProcess, scratchDirectory, settings, startServer, until } from '../support/server_process.ts';
import type { Api } from '../support/world.ts';

/** How many points the imports are killed at: some by default, more in a campaign. */
const POINTS = Number(process.env.IMPORT_KILLS ?? 10);
/** What the points are chosen by. */
const SEED = Number(process.env.IMPORT_KILLS_SEED ?? Date.now() % 1_000_000);
/** Imports at once, as many as a server works on, and how often each of them is killed at most. */
const AT_ONCE = 3;
const KILLS = 3;
/** Milliseconds that an answer of the source takes. */
const SLOW_MS = 10;
const ROOT_TOKEN = 'import-kills-token-0123456789';

const scratch = scratchDirectory();
let github: GithubServer;
let postgres: OwnPostgres;
let database: pg.Client;
let server: ServerProcess;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  github = await helloWorld();
  github.pageSize = 1;
  github.interfere = async () => {
    await sleep(SLOW_MS);
    return false;
  };
  postgres = await ownPostgres();
  database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  // Links to files that were imported have the address of the server in them.
  const PORT = String(await freePort());
  const more = { PORT, DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: ROOT_TOKEN, GANTRY_IMPORT_HOSTS: github.host };
  env = settings(scratch.directory, more);
  server = await startServer(env);
}, 300_000);

afterAll(async () => {
  await server?.end('SIGTERM');
  await database?.end();
  await postgres?.remove();
  github?.stop();
  scratch.remove();
});

/** Pseudorandom numbers from 0 to 1 (mulberry32). */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function ask(method: string, at: string, body?: object): Promise<{ status: number; body: Json }> {
  const headers = { 'PRIVATE-TOKEN': ROOT_TOKEN, ...(body && { 'Content-Type': 'application/json' }) };
  const answer = await fetch(`${server.url}/api/v4${at}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const api = { get: (at: string) => ask('GET', at) } as unknown as Api;

let begun = 0;

async function begin(): Promise<number> {
  begun += 1;
  const { status, body } = await ask('POST', '/import/github', {
    ...{ personal_access_token: TOKEN, repo_id: 1_296_269, target_namespace: 'root' },
    ...{ github_hostname: `http://${github.host}`, new_name: `hello-${begun}` },
  });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ import_status: expect.stringMatching(/^(scheduled|started)$/) }),
  ]);
  return body.id;
}

/** Waits for the end of an import. */
async function ended(id: number): Promise<void> {
  const { import_status: status, import_error: error } = await until(async () => {
    const { body } = await ask('GET', `/projects/${id}/import`);
    return ['scheduled', 'started'].includes(body.import_status) ? undefined : body;
  }, 240);
  expect([status, error]).toEqual(['finished', null]);
}

/** What the imports do that are not over, by the database: nobody else writes there now. */
async function phasesOf(ids: readonly number[]): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT phase FROM remote_imports WHERE project_id = ANY($1) AND source IS NOT NULL ORDER BY project_id',
    [ids],
  );
  return rows.map(({ phase }) => phase ?? 'nothing yet');
}

/** How many records of each kind a project has. */
async function countsOf(id: number): Promise<Record<string, number>> {
  const { rows } = await database.query(
    `SELECT (SELECT count(*) FROM issues WHERE project_id = $1)::int AS issues,
      (SELECT count(*) FROM merge_requests WHERE target_project_id = $1)::int AS merge_requests,
      (SELECT count(*) FROM notes n WHERE n.subject_id IN (SELECT id FROM issues WHERE project_id = $1) AND n.subject_type = 'Issue'
        OR n.subject_id IN (SELECT id FROM merge_requests WHERE target_project_id = $1) AND n.subject_type = 'MergeRequest')::int AS notes,
      (SELECT count(*) FROM labels WHERE project_id = $1)::int AS labels,
      (SELECT count(*) FROM merge_request_versions v JOIN merge_requests m ON m.id = v.merge_request_id
        WHERE m.target_project_id = $1)::int AS versions,
      (SELECT count(*) FROM label_events e JOIN issues i ON i.id = e.issue_id WHERE i.project_id = $1)::int AS label_events,
      (SELECT count(*) FROM state_events e LEFT JOIN issues i ON i.id = e.issue_id LEFT JOIN merge_requests m ON m.id = e.merge_request_id
        WHERE $1 IN (i.project_id, m.target_project_id))::int AS state_events,
      (SELECT count(*) FROM releases WHERE project_id = $1)::int AS releases,
      (SELECT count(*) FROM uploads WHERE project_id = $1)::int AS uploads,
      (SELECT count(*) FROM recorded_refs WHERE project_id = $1)::int AS refs,
      (SELECT count(*) FROM events WHERE project_id = $1)::int AS events,
      (SELECT count(*) FROM remote_records WHERE project_id = $1)::int AS remembered`,
    [id],
  );
  return rows[0];
}

/** What lies in the storage besides repositories. */
function leftovers(): string[] {
  const root = path.join(scratch.directory, 'repositories');
  const staged = path.join(root, 'imports');
  return [
    ...(existsSync(staged) ? readdirSync(staged) : []),
    ...readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.import-[0-9a-f]+$/.test(name)),
  ];
}

function repositoryOf(id: number): string {
  return path.join(scratch.directory, 'repositories', (id % 256).toString(16).padStart(2, '0'), `${id}.git`);
}

test(`imports that are killed at ${POINTS} random points come to the same as one that is not`, {
  timeout: 120_000 + POINTS * 20_000,
}, async () => {
  console.info(`IMPORT_KILLS_SEED=${SEED}`);
  const random = randomly(SEED);
  const { body: author } = await ask('POST', '/users', {
    ...{ username: 'octocat', name: 'Octocat', email: 'octocat@example.com', skip_confirmation: true },
    ...{ password: 'correct horse battery', reset_password: false },
  });
  const undisturbed = await begin();
  const since = performance.now();
  await ended(undisturbed);
  const usual = performance.now() - since;
  const expected = await countsOf(undisturbed);
  await expectHelloWorld({ api, id: undisturbed, author: author.username });

  const points: string[] = [];
  while (points.length < POINTS) {
    const ids: number[] = [];
    for (let at = 0; at < AT_ONCE; at++) ids.push(await begin());
    for (let kill = 0; kill < KILLS && points.length < POINTS; kill++) {
      const asked = github.requests.length;
      // The jobs of a process that is gone are given to the next one when it was not heard of for a while.
      await until(async () => {
        if ((await phasesOf(ids)).length === 0) return true;
        return github.requests.length > asked || undefined;
      });
      await sleep(random() * usual * (kill === KILLS - 1 ? 2 : 1));
      await server.end('SIGKILL');
      points.push(...(await phasesOf(ids)));
      server = await startServer(env);
    }
    for (const id of ids) {
      await ended(id);
      expect([id, await countsOf(id)]).toEqual([id, expected]);
      await expectHelloWorld({ api, id, author: author.username });
      expect(git(repositoryOf(id), ['fsck', '--strict', '--no-dangling'])).toBe('');
      expect(git(repositoryOf(id), ['for-each-ref'])).toBe(git(repositoryOf(undisturbed), ['for-each-ref']));
    }
    expect(leftovers()).toEqual([]);
  }
  console.info(
    `Killed while: ${[...new Set(points)].map((one) => `${one} ${points.filter((at) => at === one).length}`).join(', ')}`,
  );
  expect(points.length).toBeGreaterThanOrEqual(POINTS);
});
