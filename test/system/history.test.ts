import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../support/git_client.ts';
import { HistoryBuilder, randomizer } from '../support/git_history.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const COMMITS = 3000;
const AUTHORS = ['Ada Example <ada@example.com>', 'Bo Übel <bo@example.com>', 'Cy Example <cy@example.com>'];

const { directory, remove } = scratchDirectory();
const server = await startServer(settings(directory));
const token = printed(server.output(), 'Private token') ?? '';
let source: string;
let at: string;
afterAll(async () => {
  await server.end('SIGTERM');
  remove();
});

/** A history with branches that are merged again, in which clocks go wrong now and then. */
function history(): string {
  const builder = new HistoryBuilder();
  const random = randomizer(6);
  let time = 1_400_000_000;
  let tip: number | undefined;
  let side: number | undefined;
  for (let n = 1; n <= COMMITS; n += 1) {
    time += random() < 0.05 ? -600 : 60;
    const folder = `d${Math.floor(random() * 20)}`;
    const changes = [{ path: `${folder}/f${Math.floor(random() * 50)}.txt`, content: `${n}\n` }];
    const author = AUTHORS[Math.floor(random() * random() * AUTHORS.length)] ?? '';
    const common = { time, author, message: `Commit ${n} ünï\n\nof many\n` };
    if (tip === undefined) tip = builder.commit({ ...common, branch: 'main', changes });
    else if (side === undefined && random() < 0.1 && n < COMMITS) {
      side = builder.commit({ ...common, branch: 'side', changes, from: [tip] });
    } else if (side !== undefined && (random() < 0.3 || n === COMMITS)) {
      tip = builder.commit({ ...common, branch: 'main', changes, from: [tip, side] });
      side = undefined;
    } else if (side !== undefined && random() < 0.5) {
      side = builder.commit({ ...common, branch: 'side', changes, from: [side] });
    } else tip = builder.commit({ ...common, branch: 'main', changes, from: [tip] });
  }
  return builder.build({ packed: true });
}

async function read(path: string): Promise<{ headers: Headers; body: Json }> {
  const answer = await fetch(path.startsWith('http') ? path : `${server.url}/api/v4${path}`, {
    headers: { 'PRIVATE-TOKEN': token },
  });
  expect([path, answer.status]).toEqual([path, 200]);
  return { headers: answer.headers, body: await answer.json() };
}

/** All records of a list, page by page along its links, each of which tells the same total. */
async function walk(path: string): Promise<{ records: Json[]; total: number }> {
  const records: Json[] = [];
  const totals = new Set<string | null>();
  let next: string | undefined = path;
  while (next !== undefined) {
    const { headers, body }: { headers: Headers; body: Json } = await read(next);
    records.push(...body);
    totals.add(headers.get('x-total'));
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(totals.size).toBe(1);
  return { records, total: Number([...totals][0]) };
}

beforeAll(async () => {
  source = history();
  const answer = await fetch(`${server.url}/api/v4/projects`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'History' }),
  });
  const { id, http_url_to_repo: url } = (await answer.json()) as { id: number; http_url_to_repo: string };
  at = `/projects/${id}`;
  await run(
    path.dirname(source),
    `--git-dir=${source}`,
    'push',
    url.replace('http://', `http://oauth2:${token}@`),
    'main',
  );
});

test('every commit that was pushed is listed once, in the order of git', async () => {
  const { records, total } = await walk(`${at}/repository/commits?ref_name=main&per_page=100`);
  const expected = gitLines(source, ['log', '--format=%H%x09%P%x09%an%x09%s', 'main']).map((line) => line.split('\t'));
  expect(expected).toHaveLength(COMMITS);
  expect(total).toBe(COMMITS);
  expect(
    records.map(({ id, parent_ids, author_name, title }) => [id, parent_ids.join(' '), author_name, title]),
  ).toEqual(expected);
});

test('so are those that touch a path, and those of a time', async () => {
  const folder = await walk(`${at}/repository/commits?ref_name=main&path=d7&per_page=50`);
  const touching = gitLines(source, ['rev-list', 'main', '--', 'd7']);
  expect(touching.length).toBeGreaterThan(50);
  expect([folder.total, folder.records.map(({ id }) => id)]).toEqual([touching.length, touching]);

  const [since, until] = ['2014-05-13T20:00:00Z', '2014-05-14T06:00:00Z'];
  const time = await walk(`${at}/repository/commits?ref_name=main&since=${since}&until=${until}&per_page=100`);
  const within = gitLines(source, ['rev-list', `--since=${since}`, `--until=${until}`, 'main']);
  expect(within.length).toBeGreaterThan(100);
  expect([time.total, time.records.map(({ id }) => id)]).toEqual([within.length, within]);
});

test('the tree at the tip and single commits are as git has them', async () => {
  const { records, total } = await walk(`${at}/repository/tree?ref=main&recursive=true&per_page=100`);
  const entries = gitLines(source, [
    'ls-tree',
    '-r',
    '-t',
    '--format=%(objectname) %(objecttype) %(objectmode) %(path)',
    'main',
  ]);
  expect(total).toBe(entries.length);
  expect(records.map(({ id, type, mode, path }) => `${id} ${type} ${mode} ${path}`).sort()).toEqual(entries.sort());
  for (const number of [0, 1, 1500, 2999]) {
    const sha = git(source, ['rev-list', `--skip=${number}`, '--max-count=1', 'main']).trim();
    const { body } = await read(`${at}/repository/commits/${sha}`);
    expect(body).toMatchObject({ id: sha, message: git(source, ['log', '-1', '--format=%B', sha]).replace(/\n$/, '') });
  }
});

test('the contributors are those of the history, with their counts', async () => {
  const { body } = await read(`${at}/repository/contributors?per_page=100`);
  const counts: Record<string, number> = {};
  for (const email of gitLines(source, ['log', '--no-merges', '--format=%ae', 'main'])) {
    counts[email] = (counts[email] ?? 0) + 1;
  }
  expect(Object.keys(counts)).toHaveLength(AUTHORS.length);
  expect(Object.fromEntries(body.map(({ email, commits }: Json) => [email, commits]))).toEqual(counts);
});

test('the feed tells of the push with its latest commits, and the project how many there are', async () => {
  const { body } = await read(`${at}/events`);
  const latest = gitLines(source, ['rev-list', '--max-count=20', 'main']).reverse();
  expect(body[0]).toMatchObject({
    action_name: 'pushed new',
    data: { ref: 'refs/heads/main', total_commits_count: COMMITS, after: latest.at(-1) },
  });
  expect(body[0].data.commits.map(({ id }: Json) => id)).toEqual(latest);
  const { body: project } = await read(`${at}?statistics=true`);
  expect([project.default_branch, project.statistics.commit_count]).toEqual(['main', COMMITS]);
});
