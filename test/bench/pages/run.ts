import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { tokenHash } from '#src/platform/secrets.ts';
import { actorId, createDataset, type Size, token } from '../dataset.ts';
import { generateLoad, send } from '../load.ts';
import { table } from '../report.ts';
import { repositoryPlace } from '../repositories.ts';
import { git } from '../repository/program.ts';
import { type BenchServer, startServer } from '../server.ts';

/** A page, and the request of the REST API for what it shows. */
interface Measured {
  name: string;
  page: string;
  rest?: string;
  /** Whose page it is; that of the user who asks when absent. */
  session?: string;
  /** A page of the same kind that is seen before, so that the first view is not the first one of the process. */
  before?: string;
}

/** Kilobytes that a page should have at most when it is transferred, without images, and milliseconds (p50) that it should take. */
const MOST_KILOBYTES = 60;
const TARGET = 50;

const SESSION = 'bench-session';
const ADMINISTRATORS_SESSION = 'bench-administrator';
const LINES = 5_000;
const FILES = 200;
/** Number of the merge request that changes all of them, and of one that changes them in another way. */
const CHANGED = 2;
const CHANGED_BEFORE = 3;
/** Their branches. */
const BRANCHES = new Map([
  [CHANGED, 'changed'],
  [CHANGED_BEFORE, 'changed-before'],
]);

/** Prints what the pages weigh, how long they take and how many statements, beside the REST request for the same. */
export async function measurePages(
  { postgresUrl, repositories }: { postgresUrl: string; repositories: string },
  size: Size,
  print: (text: string) => void,
): Promise<void> {
  const databaseUrl = await createDataset(postgresUrl, 'pages', size);
  const directory = repositoryPlace(repositories, 1);
  await fillRepository(directory);
  const prepared = await prepare(databaseUrl, await commitsOf(directory));
  const server = await startServer({ name: 'gantry', databaseUrl, repositories });
  try {
    const rows: string[][] = [];
    for (const one of pagesOf(prepared)) rows.push(await measure(server, one));
    print(
      table(
        ['page, signed in, one connection', 'KB', 'first', 'p50', 'statements', 'REST p50', 'statements', ''],
        rows,
      ),
    );
    print(
      `milliseconds, with ${size.issues.toLocaleString('en')} issues; ! marks more than ${MOST_KILOBYTES} KB or ${TARGET} ms`,
    );
  } finally {
    await server.stop();
  }
}

function pagesOf({ project, pipeline, administrator }: Prepared): Measured[] {
  const at = `/${project}`;
  const rest = '/api/v4/projects/1';
  return [
    { name: 'start', page: '/', rest: '/api/v4/todos' },
    { name: 'explore', page: '/explore', rest: '/api/v4/projects' },
    { name: 'project', page: at, rest },
    { name: 'tree', page: `${at}/-/tree/main/src`, rest: `${rest}/repository/tree?path=src` },
    // Starts what colours code.
    { name: 'a file of 20 lines', page: `${at}/-/blob/main/src/file0.js` },
    {
      name: `file of ${LINES.toLocaleString('en')} lines`,
      page: `${at}/-/blob/main/long.js`,
      rest: `${rest}/repository/files/long.js?ref=main`,
    },
    { name: 'commits', page: `${at}/-/commits/main`, rest: `${rest}/repository/commits` },
    { name: 'commit', page: `${at}/-/commit/main`, rest: `${rest}/repository/commits/main/diff` },
    { name: 'branches', page: `${at}/-/branches`, rest: `${rest}/repository/branches` },
    { name: 'issues', page: `${at}/-/issues`, rest: `${rest}/issues` },
    { name: 'one issue', page: `${at}/-/issues/2`, rest: `${rest}/issues/2` },
    { name: 'an issue of 1,000 notes', page: `${at}/-/issues/1`, rest: `${rest}/issues/1/notes?per_page=100` },
    { name: 'merge requests', page: `${at}/-/merge_requests`, rest: `${rest}/merge_requests` },
    { name: 'one merge request', page: `${at}/-/merge_requests/1`, rest: `${rest}/merge_requests/1` },
    {
      name: `a diff of ${FILES} files`,
      page: `${at}/-/merge_requests/${CHANGED}/diffs`,
      rest: `${rest}/merge_requests/${CHANGED}/diffs`,
      before: `${at}/-/merge_requests/${CHANGED_BEFORE}/diffs`,
    },
    { name: 'labels', page: `${at}/-/labels`, rest: `${rest}/labels` },
    { name: 'pipelines', page: `${at}/-/pipelines`, rest: `${rest}/pipelines` },
    { name: 'pipelines of a status', page: `${at}/-/pipelines?status=failed`, rest: `${rest}/pipelines?status=failed` },
    {
      name: 'a pipeline with jobs',
      page: `${at}/-/pipelines/${pipeline}`,
      rest: `${rest}/pipelines/${pipeline}/jobs`,
    },
    { name: 'jobs', page: `${at}/-/jobs`, rest: `${rest}/jobs` },
    { name: 'schedules', page: `${at}/-/pipeline_schedules`, rest: `${rest}/pipeline_schedules` },
    { name: 'environments', page: `${at}/-/environments`, rest: `${rest}/environments` },
    { name: 'runners', page: `${at}/-/runners`, session: ADMINISTRATORS_SESSION },
    { name: 'charts', page: `${at}/-/pipelines/charts?interval=month` },
    { name: 'own preferences', page: '/profile/preferences' },
    { name: 'own notifications', page: '/profile/notifications' },
    { name: 'own sessions', page: '/profile/sessions' },
    { name: 'own keys', page: '/profile/keys', rest: '/api/v4/user/keys' },
    { name: 'own data', page: '/profile/data' },
    ...[
      ['all users', '/admin/users'],
      ['one user', `/admin/users/${administrator}`],
      ['all groups', '/admin/groups'],
      ['all projects', '/admin/projects'],
      ['settings of the server', '/admin/settings/sign_in'],
      ['storages', '/admin/storages'],
    ].map(([name = '', page = '']) => ({ name, page, session: ADMINISTRATORS_SESSION })),
    { name: 'general settings', page: `${at}/-/settings/general`, session: ADMINISTRATORS_SESSION },
    { name: 'what deletion takes', page: `${at}/-/settings/general/delete`, session: ADMINISTRATORS_SESSION },
    { name: 'members', page: `${at}/-/project_members`, rest: `${rest}/members` },
    { name: 'access tokens', page: `${at}/-/settings/access_tokens`, session: ADMINISTRATORS_SESSION },
    { name: 'webhooks', page: `${at}/-/hooks`, session: ADMINISTRATORS_SESSION },
    { name: 'variables', page: `${at}/-/settings/ci_cd/variables`, session: ADMINISTRATORS_SESSION },
    { name: 'protections', page: `${at}/-/settings/repository`, session: ADMINISTRATORS_SESSION },
  ];
}

async function measure(
  server: BenchServer,
  { name, page, rest, session = SESSION, before }: Measured,
): Promise<string[]> {
  const headers = { Cookie: `gantry_session=${session}`, 'Accept-Encoding': 'gzip', Accept: 'text/html' };
  const visit = { path: page, headers };
  if (before !== undefined) await send(server.url, { path: before, headers });
  const begun = performance.now();
  const answer = await send(server.url, visit);
  const first = performance.now() - begun;
  if (answer.status !== 200) return [name, '', '', '', '', '', '', `${answer.status} !`];
  const kilobytes = answer.bytes / 1000;
  const own = await timed(server, visit);
  const beside = rest === undefined ? null : await timed(server, { path: rest, headers: { 'PRIVATE-TOKEN': token } });
  const isOver = kilobytes > MOST_KILOBYTES || own.p50 > TARGET;
  return [
    name,
    kilobytes.toFixed(1),
    first.toFixed(0),
    own.p50.toFixed(1),
    String(own.statements),
    beside?.p50.toFixed(1) ?? '',
    String(beside?.statements ?? ''),
    isOver ? '!' : '',
  ];
}

async function timed(server: BenchServer, call: { path: string; headers: Record<string, string> }) {
  const load = { url: server.url, call: () => call, connections: 1 };
  await generateLoad({ ...load, milliseconds: 500, count: 20 });
  const statements = await statementsOf(server, call);
  const { p50 } = await generateLoad({ ...load, milliseconds: 2_000, count: 100 });
  return { p50, statements };
}

/** Statements of one request, as the server counts them. */
async function statementsOf(
  server: BenchServer,
  call: { path: string; headers: Record<string, string> },
): Promise<number> {
  const before = await server.ask<number>({ statements: true });
  await send(server.url, call);
  return (await server.ask<number>({ statements: true })) - before;
}

/** The full path of the first project, a pipeline of it that has jobs, and the username of an administrator. */
interface Prepared {
  project: string;
  pipeline: number;
  administrator: string;
}

/** Makes sessions of the user who asks, and of an administrator. */
async function prepare(databaseUrl: string, { before, changed }: Commits): Promise<Prepared> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('INSERT INTO sessions (user_id, token_hash) VALUES ($1, $2)', [actorId, tokenHash(SESSION)]);
    for (const [iid, after] of changed) {
      await client.query('UPDATE merge_requests SET sha = $1 WHERE target_project_id = 1 AND iid = $2', [after, iid]);
      await client.query(
        `UPDATE merge_request_versions SET head_commit_sha = $1, base_commit_sha = $2, start_commit_sha = $2
         WHERE merge_request_id = (SELECT id FROM merge_requests WHERE target_project_id = 1 AND iid = $3)`,
        [after, before, iid],
      );
    }
    const { rows } = await client.query<{ path: string }>(
      "SELECT n.path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = 1",
    );
    const { rows: pipelines } = await client.query<{ id: number }>(
      'SELECT max(pipeline_id) AS id FROM jobs WHERE project_id = 1 AND NOT generic',
    );
    const { rows: made } = await client.query<{ id: number; username: string }>(
      'UPDATE users SET admin = true WHERE id = (SELECT max(id) FROM users WHERE id <> $1) RETURNING id, username',
      [actorId],
    );
    await client.query('INSERT INTO sessions (user_id, token_hash) VALUES ($1, $2)', [
      made[0]?.id,
      tokenHash(ADMINISTRATORS_SESSION),
    ]);
    return {
      project: rows[0]?.path ?? '',
      pipeline: pipelines[0]?.id ?? 0,
      administrator: made[0]?.username ?? '',
    };
  } finally {
    await client.end();
  }
}

/** The commit before the changes of many files, and those of merge requests that change them, by their numbers. */
interface Commits {
  before: string;
  changed: [iid: number, sha: string][];
}

async function commitsOf(directory: string): Promise<Commits> {
  const [before = '', ...changed] = String(await git(directory, ['rev-parse', 'main', ...BRANCHES.values()]))
    .trim()
    .split('\n');
  return { before, changed: [...BRANCHES.keys()].map((iid, at) => [iid, changed[at] ?? '']) };
}

/** Adds a commit with a long file and a directory of many, and branches that change these. */
async function fillRepository(directory: string): Promise<void> {
  const lines = Array.from(
    { length: LINES },
    (_, n) => `export const value${n} = compute(${n}, 'text ${n % 7}'); // ${n}`,
  );
  const files = [
    ['long.js', `${lines.join('\n')}\n`],
    ['README.md', '# Bench\n\nA project that is measured.\n'],
    ...Array.from({ length: FILES }, (_, n) => [`src/file${n}.js`, `${lines.slice(n, n + 20).join('\n')}\n`]),
  ];
  const changed = (branch: string) =>
    Array.from({ length: FILES }, (_, n) => {
      const own = lines.slice(n, n + 20).with(10, `export const ${branch.replace('-', '_')}${n} = compute('${n}');`);
      return [`src/file${n}.js`, `${own.join('\n')}\n`];
    });
  const input = [
    'commit refs/heads/main',
    'committer Ada Bench <ada@example.com> 1767225700 +0000',
    data('Add files'),
    'from refs/heads/main^0',
    ...files.flatMap(([name, content]) => [`M 100644 inline ${name}`, data(content ?? '')]),
    ...[...BRANCHES.values()].flatMap((branch) => [
      `commit refs/heads/${branch}`,
      'committer Ada Bench <ada@example.com> 1767225800 +0000',
      data('Change files'),
      'from refs/heads/main',
      ...changed(branch).flatMap(([name, content]) => [`M 100644 inline ${name}`, data(content ?? '')]),
    ]),
  ].join('\n');
  execFileSync('git', ['fast-import', '--quiet'], { cwd: directory, input: `${input}\n` });
  await git(directory, ['repack', '-adq']);
  if (readdirSync(path.join(directory, 'objects', 'pack')).length === 0) throw new Error('Nothing was imported');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
