import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, send } from '../load.ts';
import { type Figure, figuresTable } from './figures.ts';
import { generateHistory } from './history.ts';
import { feedGit, git, timeGit } from './program.ts';
import { type BenchProject, processors, RepositoryServer } from './server.ts';

/** How many branches are merged, and how many commits each is ahead. */
const BRANCHES = 15;
const AHEAD = 50;
/** How many are merged into one branch at once. */
const AT_ONCE = 10;
/** How many commits are between the branches whose changes are read. */
const APART = 500;
/** Milliseconds until a merge request is taken for lost that nobody has looked at. */
const PATIENCE = 60_000;

/** Measures merge requests on a generated history of 12,000 commits, on a server of its own, against git in a work tree. */
export async function measureMerges(print: (text: string) => void): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  const server = await RepositoryServer.start();
  try {
    const source = path.join(scratch, 'history.git');
    await git(scratch, ['init', '--quiet', '--bare', '--initial-branch=main', source]);
    await generateHistory(source);
    const project = await server.push(source, 'merges');
    const figures = [...(await measureChanges(server, project)), ...(await measureMerging(server, project, source))];
    print(figuresTable(`Merge requests in a history of 12,000 commits, ${processors()}`, figures));
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Merge requests one after the other, and many at once into one branch. */
async function measureMerging(server: RepositoryServer, project: BenchProject, source: string): Promise<Figure[]> {
  const names = Array.from({ length: BRANCHES + AT_ONCE }, (_, at) => `topic-${at}`);
  await feedGit(source, ['fast-import', '--quiet'], topics(names));
  await git(source, ['push', '--quiet', project.remote, ...names.slice(0, BRANCHES).map(ref)]);
  const work = `${source}.work`;
  await git(path.dirname(source), ['clone', '--quiet', source, work]);
  const times = { own: [] as number[], git: [] as number[] };
  for (const name of names.slice(0, BRANCHES)) {
    const iid = await open(server, project, name, 'main');
    const begun = performance.now();
    await merge(server, project, iid);
    times.own.push(performance.now() - begun);
    const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
    times.git.push(await timeGit(work, [...identity, 'merge', '--quiet', '--no-ff', '--no-edit', `origin/${name}`]));
  }
  const milliseconds = median(times.git);
  const own = median(times.own);
  const alone: Figure = {
    name: `merge of a branch ${AHEAD} commits ahead, p50`,
    result: `${own.toFixed(0)} ms`,
    git: { milliseconds, ratio: own / milliseconds },
    target: '≤ 3 × git',
  };
  return [alone, await mergeAtOnce(server, project, source, names.slice(BRANCHES))];
}

async function mergeAtOnce(
  server: RepositoryServer,
  project: BenchProject,
  source: string,
  names: string[],
): Promise<Figure> {
  await git(source, ['push', '--quiet', project.remote, ...names.map(ref)]);
  const iids = await Promise.all(names.map((name) => open(server, project, name, 'main')));
  const begun = performance.now();
  await Promise.all(iids.map((iid) => merge(server, project, iid)));
  const each = (performance.now() - begun) / iids.length;
  return { name: `${AT_ONCE} merges into one branch at once, of each`, result: `${each.toFixed(0)} ms` };
}

/** The first time that anybody reads the changes, and the next ones. */
async function measureChanges(server: RepositoryServer, project: BenchProject): Promise<Figure[]> {
  const { id, directory } = project;
  const firsts = (await git(directory, ['rev-list', '--first-parent', `--max-count=${APART + 6}`, 'main'])).split('\n');
  const times = { cold: [] as number[], warm: [] as number[], git: [] as number[] };
  for (let round = 0; round < 5; round++) {
    const [from = '', to = ''] = [firsts[round + APART], firsts[round]];
    await server.ask(`projects/${id}/repository/branches`, { branch: `old-${round}`, ref: from });
    await server.ask(`projects/${id}/repository/branches`, { branch: `new-${round}`, ref: to });
    const iid = await open(server, project, `new-${round}`, `old-${round}`);
    const changes = `projects/${id}/merge_requests/${iid}/changes`;
    times.cold.push(await server.time(changes));
    times.warm.push(await server.time(changes));
    times.git.push(await timeGit(directory, ['diff', `${from}...${to}`]));
  }
  const milliseconds = median(times.git);
  const figure = (name: string, own: number[]): Figure => {
    const result = `${median(own).toFixed(0)} ms`;
    return { name, result, git: { milliseconds, ratio: median(own) / milliseconds }, target: '≤ 3 × git' };
  };
  return [
    figure(`changes of ${APART} commits, the first time`, times.cold),
    figure(`changes of ${APART} commits, again`, times.warm),
  ];
}

/** The number of a new merge request that somebody has looked at: it can be merged. */
async function open(server: RepositoryServer, { id }: BenchProject, branch: string, target: string): Promise<number> {
  const asked = { title: `Merge ${branch}`, source_branch: branch, target_branch: target };
  const { iid } = JSON.parse((await server.ask(`projects/${id}/merge_requests`, asked)).text);
  for (let begun = performance.now(); performance.now() - begun < PATIENCE; await sleep(50)) {
    const { text } = await server.ask(`projects/${id}/merge_requests/${iid}`);
    if (JSON.parse(text).merge_status === 'can_be_merged') return iid;
  }
  throw new Error(`Nobody has looked at the merge request of ${branch}`);
}

async function merge(server: RepositoryServer, { id }: BenchProject, iid: number): Promise<void> {
  const call = server.call(`projects/${id}/merge_requests/${iid}/merge`, {});
  const { status, text } = await send(server.url, { ...call, method: 'PUT' });
  const { state } = JSON.parse(text);
  if (status !== 200 || state !== 'merged') throw new Error(`The merge answered ${status}: ${text.slice(0, 300)}`);
}

const ref = (name: string) => `refs/heads/${name}`;

/** Branches that leave the tip of `main` and change files that no other one changes, as `git fast-import` reads them. */
function* topics(names: readonly string[]): Generator<string> {
  for (const name of names) {
    for (let at = 0; at < AHEAD; at++) {
      const message = `Change ${at} of ${name}`;
      const content = `What ${name} says the ${at}th time\n`.repeat(20);
      yield `commit refs/heads/${name}\ncommitter Tom Topic <tom@example.com> ${1_600_000_000 + at} +0000\n`;
      yield `data ${message.length}\n${message}\n${at === 0 ? 'from refs/heads/main^0\n' : ''}`;
      yield `M 100644 inline topics/${name}/file${at % 10}.txt\ndata ${content.length}\n${content}\n`;
    }
  }
}
