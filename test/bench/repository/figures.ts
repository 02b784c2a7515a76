import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { generateLoad, median } from '../load.ts';
import { table } from '../report.ts';
import { feedGit, git, timeGit } from './program.ts';
import type { BenchProject, RepositoryServer } from './server.ts';

/** One line of the table. */
export interface Figure {
  name: string;
  /** What was measured of Gantry. */
  result: string;
  /** What the git program took for the same, and the ratio. */
  git?: { milliseconds: number; ratio: number };
  target?: string;
}

/** The figures below a line that says what they are about. */
export function figuresTable(about: string, figures: Figure[]): string {
  const rows = figures.map(({ name, result, git, target }) => [
    name,
    result,
    git === undefined ? '' : `${git.milliseconds.toFixed(1)} ms`,
    git === undefined ? '' : git.ratio.toFixed(2),
    target ?? '',
  ]);
  return `${about}\n\n${table(['request', 'Gantry', 'git', 'ratio', 'target'], rows)}`;
}

/** How often a figure is taken. */
const ROUNDS = 15;
/** Commits between the two refs that are compared. */
const APART = 500;

/** All figures for one repository: the project has it already, and `source` is another copy of it. */
export async function measureRepository(
  server: RepositoryServer,
  project: BenchProject,
  source: string,
): Promise<Figure[]> {
  const tip = (await git(project.directory, ['rev-parse', 'HEAD'])).trim();
  const at = `projects/${project.id}/repository`;
  const file = await someFile(project.directory);
  const page = `${at}/commits?per_page=20`;
  return [
    { name: 'first page of commits and their total, cold', result: ms(await server.time(page)) },
    await ratio('first page of commits, warm', server, page, project, ['log', '-20', tip], 1.5),
    {
      name: 'total of commits, from the second request on',
      result: ms(await median50(server, `${at}/commits?per_page=1`)),
      git: await versus(project, ['rev-list', '--count', tip], await median50(server, `${at}/commits?per_page=1`)),
    },
    { name: 'root of the tree, p50', result: ms(await median50(server, `${at}/tree`)), target: '≤ 3 ms' },
    { name: 'one file, p50', result: ms(await median50(server, `${at}/files/${file}?ref=${tip}`)), target: '≤ 3 ms' },
    await countedAhead(server, project, tip),
    ...(await contributors(server, source)),
    ...(await comparison(server, project, tip)),
  ];
}

/** Requests and runs of git in turn. */
async function ratio(
  name: string,
  server: RepositoryServer,
  path: string,
  { directory }: BenchProject,
  command: string[],
  limit: number,
): Promise<Figure> {
  for (let round = 0; round < 5; round++) await server.time(path);
  const times = { own: [] as number[], git: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.own.push(await server.time(path));
    times.git.push(await timeGit(directory, command));
  }
  const own = median(times.own);
  const milliseconds = median(times.git);
  return { name, result: ms(own), git: { milliseconds, ratio: own / milliseconds }, target: `≤ ${limit} × git` };
}

async function versus({ directory }: BenchProject, command: string[], own: number): Promise<Figure['git']> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await timeGit(directory, command));
  const milliseconds = median(times);
  return { milliseconds, ratio: own / milliseconds };
}

/** The median over one connection, in milliseconds. */
async function median50(server: RepositoryServer, path: string): Promise<number> {
  const load = { url: server.url, call: () => server.call(path), connections: 1, milliseconds: 5_000 };
  await generateLoad({ ...load, count: 50 });
  return (await generateLoad({ ...load, count: 500 })).p50;
}

/** The first request after the push of everything, which left the counting to a job. */
async function countedAhead(server: RepositoryServer, project: BenchProject, tip: string): Promise<Figure> {
  const own = await server.time(`projects/${project.id}/repository/contributors?per_page=100`);
  const git = await versus(project, ['shortlog', '-sne', tip], own);
  return {
    name: 'contributors with lines, some time after the push',
    result: ms(own),
    target: '≤ 2 × git',
    ...(git && { git }),
  };
}

/**
 * Cold with projects whose repositories were put in place behind the server's back: nothing is known of them, and git counts the
 * lines of all commits too.
 */
async function contributors(server: RepositoryServer, source: string): Promise<Figure[]> {
  const times = { cold: [] as number[], warm: [] as number[], extended: [] as number[] };
  const ofGit = { count: [] as number[], list: [] as number[] };
  for (let round = 0; round < 3; round++) {
    const project = await server.createProject(`cold-${round}-${process.hrtime.bigint()}`);
    cpSync(source, project.directory, { recursive: true });
    const path = `projects/${project.id}/repository/contributors?per_page=100`;
    ofGit.count.push(await timeGit(project.directory, ['log', '--no-merges', '--numstat', '-M', 'HEAD']));
    times.cold.push(await server.time(path));
    times.warm.push(await server.time(path));
    ofGit.list.push(await timeGit(project.directory, ['shortlog', '-sne', 'HEAD']));
    await commitFile(server, project, (await git(project.directory, ['symbolic-ref', '--short', 'HEAD'])).trim(), 'x');
    times.extended.push(await server.time(path));
  }
  const figure = (name: string, own: number, git: number[]): Figure => {
    const milliseconds = median(git);
    return { name, result: ms(own), git: { milliseconds, ratio: own / milliseconds }, target: '≤ 2 × git' };
  };
  return [
    figure('contributors with lines, nothing known', median(times.cold), ofGit.count),
    figure('contributors, same tip again', median(times.warm), ofGit.list),
    figure('contributors, one commit later', median(times.extended), ofGit.list),
  ];
}

/** Cold are pairs of commits that nobody has asked for yet. */
async function comparison(server: RepositoryServer, project: BenchProject, tip: string): Promise<Figure[]> {
  const pairs = await pairsApart(project, tip, 5);
  const times = { cold: [] as number[], warm: [] as number[], git: [] as number[] };
  for (const pair of pairs) {
    times.cold.push(await server.time(comparing(project, pair)));
    times.warm.push(await server.time(comparing(project, pair)));
    times.git.push(await gitComparing(project, pair));
  }
  // The first pair warms the process up, and the tip of the history with large files adds these.
  return [
    comparisonFigure('other refs than before', times.cold.slice(1), times.git.slice(1)),
    comparisonFigure('again', times.warm.slice(1), times.git.slice(1)),
  ];
}

/** The first comparison of several processes, each of which has shown some pages before, of states that `source` has. */
export async function measureFirstComparison(
  server: RepositoryServer,
  project: BenchProject,
  source: string,
): Promise<Figure> {
  const tip = (await git(source, ['rev-parse', 'HEAD'])).trim();
  // The tip of the history with large files adds these, which takes git much longer than what comes before.
  const pair = (await pairsApart(project, tip, 2))[1] ?? ['', ''];
  const at = `projects/${project.id}/repository`;
  const times = { own: [] as number[], git: [] as number[] };
  for (let start = 0; start < ROUNDS; start++) {
    await server.restart();
    for (const page of ['commits?per_page=20', 'tree', 'contributors?per_page=100']) {
      for (let time = 0; time < 20; time++) await server.time(`${at}/${page}`);
    }
    times.own.push(await server.time(comparing(project, pair)));
    times.git.push(await gitComparing(project, pair));
  }
  return comparisonFigure(`the first of a process, ${ROUNDS} starts`, times.own, times.git);
}

type Pair = readonly [from: string, to: string];

async function pairsApart({ directory }: BenchProject, tip: string, count: number): Promise<Pair[]> {
  const most = `--max-count=${APART + count}`;
  const firsts = (await git(directory, ['rev-list', '--first-parent', most, tip])).trim().split('\n');
  if (firsts.length < APART + count) throw new Error(`The history is shorter than ${APART + count} commits`);
  return firsts.slice(0, count).map((to, at) => [firsts[at + APART] ?? '', to]);
}

function comparing({ id }: BenchProject, [from, to]: Pair): string {
  return `projects/${id}/repository/compare?from=${from}&to=${to}`;
}

async function gitComparing({ directory }: BenchProject, [from, to]: Pair): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 3; time++) times.push(await timeGit(directory, ['diff', `${from}...${to}`]));
  return median(times);
}

/** @param git milliseconds that git took beside each time of `own` */
function comparisonFigure(name: string, own: number[], git: number[]): Figure {
  const ratio = median(own.map((milliseconds, at) => milliseconds / (git[at] ?? Number.NaN)));
  const figures = { result: ms(median(own)), git: { milliseconds: median(git), ratio }, target: '≤ 2 × git' };
  return { name: `compare ${APART} commits apart, ${name}`, ...figures };
}

/** A push of 2,000 new branches that bring no objects, through the server and to a directory. */
export async function measureRefs(server: RepositoryServer, source: string, scratch: string): Promise<Figure> {
  const project = await server.push(source, 'many-refs');
  const [from, plain] = [path.join(scratch, 'from.git'), path.join(scratch, 'plain.git')];
  await git(scratch, ['clone', '--quiet', '--bare', source, from]);
  await git(scratch, ['clone', '--quiet', '--bare', source, plain]);
  const firsts = (await git(from, ['rev-list', '--max-count=500', 'HEAD'])).trim().split('\n');
  const lines = Array.from(
    { length: 2_000 },
    (_, at) => `create refs/heads/many/${at} ${firsts[at % firsts.length]}\n`,
  );
  await feedGit(from, ['update-ref', '--stdin'], lines);
  const refs = 'refs/heads/many/*:refs/heads/many/*';
  const own = await timeGit(from, ['push', '--quiet', project.remote, refs]);
  const milliseconds = await timeGit(from, ['push', '--quiet', plain, refs]);
  for (const directory of [from, plain]) rmSync(directory, { recursive: true });
  return { name: 'push of 2,000 new branches', result: ms(own), git: { milliseconds, ratio: own / milliseconds } };
}

/** Reads and commits a second. */
export async function measureLoad(server: RepositoryServer, project: BenchProject): Promise<Figure[]> {
  const head = (await git(project.directory, ['symbolic-ref', '--short', 'HEAD'])).trim();
  const tip = (await git(project.directory, ['rev-parse', 'HEAD'])).trim();
  const files = await someFiles(project.directory, 200);
  const at = `projects/${project.id}/repository`;
  const read = (n: number) => server.call(`${at}/files/${files[n % files.length]}?ref=${tip}`);
  await generateLoad({ url: server.url, call: read, connections: 8, milliseconds: 2_000 });
  const reads = await generateLoad({ url: server.url, call: read, connections: 8, milliseconds: 8_000 });
  const branches = await createBranches(server, project, tip, 4);
  let made = 0;
  const single = () => server.call(`${at}/commits`, commitOf(head, `one/${made++}`));
  const own = await generateLoad({ url: server.url, call: single, connections: 1, milliseconds: 8_000 });
  // Every connection has a branch of its own: what many do to one branch is measured apart.
  const loads = await Promise.all(
    branches.map((branch) => {
      const call = (n: number) => server.call(`${at}/commits`, commitOf(branch, `${branch}/${n}`));
      return generateLoad({ url: server.url, call, connections: 1, milliseconds: 8_000 });
    }),
  );
  const throughput = loads.reduce((sum, load) => sum + load.throughput, 0);
  const p99 = Math.max(...loads.map((load) => load.p99));
  const p50 = median(loads.map((load) => load.p50));
  return [
    loadFigure('file reads, 8 connections', reads, '≥ 200 /s'),
    loadFigure('commits to one branch, 1 connection', own, '≥ 50 /s'),
    loadFigure('commits, 4 connections, a branch each', { throughput, p50, p99 }, '≥ 50 /s'),
  ];
}

function loadFigure(name: string, load: { throughput: number; p50: number; p99: number }, target: string): Figure {
  const result = `${load.throughput.toFixed(0)} /s, p50 ${load.p50.toFixed(1)} ms, p99 ${load.p99.toFixed(1)} ms`;
  return { name, result, target };
}

async function createBranches(server: RepositoryServer, { id }: BenchProject, ref: string, count: number) {
  const names = Array.from({ length: count }, (_, at) => `load-${at}`);
  for (const branch of names) await server.ask(`projects/${id}/repository/branches`, { branch, ref });
  return names;
}

function commitOf(branch: string, file: string): object {
  const action = { action: 'create', file_path: `bench/${file}`, content: `About ${file}\n` };
  return { branch, commit_message: `Add ${file}`, actions: [action] };
}

async function commitFile(server: RepositoryServer, { id }: BenchProject, branch: string, file: string): Promise<void> {
  await server.ask(`projects/${id}/repository/commits`, commitOf(branch, file));
}

async function someFile(directory: string): Promise<string> {
  return (await someFiles(directory, 1))[0] ?? '';
}

/** Addresses of files of ordinary size, spread over the tree. */
async function someFiles(directory: string, count: number): Promise<string[]> {
  const lines = (await git(directory, ['-c', 'core.quotePath=false', 'ls-tree', '-r', '-l', 'HEAD'])).split('\n');
  const paths = lines.flatMap((line) => {
    const [, size, path] = /^100\d+ blob \S+ +(\d+)\t([^"].*)$/.exec(line) ?? [];
    return path !== undefined && Number(size) < 100_000 ? [encodeURIComponent(path)] : [];
  });
  const step = Math.max(1, Math.floor(paths.length / count));
  return paths.filter((_, at) => at % step === step >> 1).slice(0, count);
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}
