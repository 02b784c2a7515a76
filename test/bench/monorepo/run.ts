import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load.ts';
import { cpuOfEnded } from '../process_tree.ts';
import { table } from '../report.ts';
import { git } from '../repository/program.ts';
import { type BenchProject, processors, RepositoryServer } from '../repository/server.ts';
import { developer } from '../repository/writers.ts';
import { type Compared, type Cost, compareCost, spread } from './cost.ts';
import { askForPack, askForRefs, outputOf, type Push, pushOf, runGit } from './git.ts';
import { fileAt, monorepo, sizeAt } from './history.ts';
import { adopt, post, type Sent } from './server.ts';

/** How many pushes come at once, each to another branch. */
const AT_ONCE = 100;
/** How many people they come from: one may have 30 git requests at once. */
const PUSHERS = 10;
/** Pushes of one commit, one after the other. */
const PUSHES = 12;
/** Commits between the two that are compared. */
const APART = 500;
/** Milliseconds until a job counts as lost. */
const PATIENCE = 45 * 60_000;

/**
 * Measures what is done with a repository of a million commits, 300,000 files, 20,000 branches and tags, against git doing the same.
 *
 * @param scale which part of that it has
 * @param print takes each table as it is ready
 */
export async function measureMonorepo(scale: number, print: (text: string) => void): Promise<void> {
  const source = await monorepo(scale, print);
  const { commits, files, branches, tags } = sizeAt(scale);
  const scratch = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  const server = await RepositoryServer.start();
  try {
    const project = await adopt(server, source, 'monorepo');
    const about = `${commits} commits, ${files} files, ${branches} branches, ${tags} tags, ${processors()}`;
    print(`${about}\n\n${await maintained(server, project, scratch)}`);
    // Git on the same repository, which the server has maintained; a copy takes what git writes.
    const copy = path.join(scratch, 'copy.git');
    await git(scratch, ['clone', '--quiet', '--mirror', '--local', project.directory, copy]);
    const work = new Work(server, project, copy, scale);
    print(costTable('Reads', await work.each(await work.reads())));
    print(costTable('Fetches', await work.each(await work.fetches())));
    print(costTable('Writes', [...(await work.pushes()), ...(await work.merges())]));
    print(await work.manyPushes());
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function costTable(title: string, costs: readonly Cost[]): string {
  const rows = costs.map(({ name, own, git, first, p50, page }) => [
    name,
    own.toFixed(1),
    Number.isNaN(git) ? '' : git.toFixed(1),
    Number.isNaN(git) || git === 0 ? '' : (own / git).toFixed(2),
    first.toFixed(0),
    `${p50.toFixed(0)}${page && p50 > 100 ? ' !' : ''}`,
  ]);
  const header = [title, 'CPU of Gantry, ms', 'of git', 'ratio (≤ 1.2)', 'first, ms', 'p50 warm, ms'];
  return table(header, rows);
}

/** What reads and pushes take while the repository is maintained for the first time, and what the maintenance takes. */
async function maintained(server: RepositoryServer, project: BenchProject, scratch: string): Promise<string> {
  const side = path.join(scratch, 'side.git');
  await git(scratch, ['clone', '--quiet', '--bare', '--shared', project.directory, side]);
  const tip = (await git(side, ['rev-parse', 'refs/heads/main'])).trim();
  const times: Record<string, number[]> = {
    'first page of commits': [],
    'root of the tree': [],
    'push of one commit': [],
  };
  const at = `projects/${project.id}/repository`;
  const begun = performance.now();
  const before = server.cpu();
  await server.ask(`projects/${project.id}/housekeeping`, {});
  const index = path.join(project.directory, 'objects', 'pack', 'multi-pack-index');
  let round = 0;
  const done = () => existsSync(index) && statSync(index).mtimeMs >= Date.now() - (performance.now() - begun);
  for (; !done(); round++) {
    if (performance.now() - begun > PATIENCE) throw new Error('The repository was not maintained');
    const timed = async (name: string, work: () => Promise<unknown>) => {
      const sent = performance.now();
      await work();
      times[name]?.push(performance.now() - sent);
    };
    await timed('first page of commits', () => server.ask(`${at}/commits?per_page=20`));
    await timed('root of the tree', () => server.ask(`${at}/tree`));
    if (round % 5 === 0) {
      const { body } = await pushOf(side, `meanwhile-${round}`, tip);
      await timed('push of one commit', () => post(server.url, pushRequest(server, project, body)));
    }
    await sleep(500);
  }
  const seconds = (performance.now() - begun) / 1000;
  const rows = Object.entries(times).map(([name, list]) => [name, String(list.length), spread(list)]);
  const cpu = (server.cpu() - before) / 1000;
  const head = `The first maintenance: ${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of CPU with what was done meanwhile`;
  return `${head}\n\n${table(['meanwhile', 'times', 'took'], rows)}`;
}

function pushRequest(server: { token: string }, project: BenchProject, body: Buffer): Sent {
  const headers = { ...basic(server), 'Content-Type': 'application/x-git-receive-pack-request' };
  return { path: `${new URL(project.remote).pathname}/git-receive-pack`, headers, body };
}

function basic({ token }: { token: string }): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}` };
}

/** The first so many refs of a kind by a field, as git lists them. */
function refs(kind: 'heads' | 'tags', field: string): string[] {
  return [
    'for-each-ref',
    '--count=20',
    `--sort=${field}`,
    `--format=%(refname) %(objectname) %(subject)`,
    `refs/${kind}`,
  ];
}

/** Milliseconds of CPU of the programs that some work runs to their end. */
async function costOfGit(work: () => Promise<unknown>): Promise<number> {
  const before = cpuOfEnded(process.pid);
  await work();
  return cpuOfEnded(process.pid) - before;
}

function costOf(name: string, total: { own: number; git: number }, first: number, times: readonly number[]): Cost {
  const count = times.length;
  return { name, own: total.own / count, git: total.git / count, first, p50: median([...times]), page: false };
}

/** What is measured of one project. */
class Work {
  readonly #server: RepositoryServer;
  readonly #project: BenchProject;
  /** A repository of the same history in which git may write. */
  readonly #copy: string;
  readonly #scale: number;
  #made = 0;

  constructor(server: RepositoryServer, project: BenchProject, copy: string, scale: number) {
    this.#server = server;
    this.#project = project;
    this.#copy = copy;
    this.#scale = scale;
  }

  async each(all: readonly Compared[]): Promise<Cost[]> {
    const costs: Cost[] = [];
    for (const compared of all) {
      await this.#server.settled();
      costs.push(await compareCost(this.#server, this.#project.directory, compared));
    }
    return costs;
  }

  async reads(): Promise<Compared[]> {
    const [tip, ago] = [await this.#oid('main'), await this.#oid(`main~${APART}`)];
    const { commits } = sizeAt(this.#scale);
    const deep = Math.floor(commits / 2 / 20);
    const file = fileAt(7);
    const folder = file.split('/').slice(0, 2).join('/');
    const encoded = encodeURIComponent(file);
    const names = await this.#names(tip, folder);
    return [
      this.#read('commits, first page', 'repository/commits?per_page=20', [['log', '-20', tip]], true),
      this.#read(`commits, page ${deep}`, `repository/commits?per_page=20&page=${deep}`, [
        ['log', '-20', `--skip=${(deep - 1) * 20}`, tip],
      ]),
      this.#read('commits of a file', `repository/commits?per_page=20&path=${encoded}`, [
        ['log', '-20', tip, '--', file],
      ]),
      this.#read('root of the tree', 'repository/tree', [['ls-tree', tip]], true),
      {
        name: `a directory of ${names.length} with last commits`,
        request: this.#page(`-/tree/main/${folder}`),
        git: names.map((name) => ({ args: ['log', '-1', '--format=%H %s', tip, '--', `${folder}/${name}`] })),
        page: true,
        rounds: 3,
      },
      this.#read('blame of a file', `repository/files/${encoded}/blame?ref=main`, [
        ['blame', '--porcelain', tip, '--', file],
      ]),
      this.#read(`compare with ${APART} commits ago`, `repository/compare?from=${ago}&to=${tip}`, [
        ['log', `${ago}..${tip}`],
        ['diff', `${ago}...${tip}`],
      ]),
      this.#read(
        'contributors, first page',
        'repository/contributors?per_page=20',
        [['shortlog', '-sne', tip]],
        false,
        3,
      ),
      this.#read(
        'search in the code',
        'search?scope=blobs&search=line4711',
        [['grep', '-n', 'line4711', tip]],
        false,
        3,
      ),
      this.#read('branches, first page', 'repository/branches?per_page=20', [refs('heads', 'refname')], true),
      this.#read('branches by a part of their names', 'repository/branches?search=topic-77&per_page=20', [
        ['for-each-ref', '--count=20', 'refs/heads/*/topic-77*'],
      ]),
      this.#read('tags, first page', 'repository/tags?per_page=20', [refs('tags', '-creatordate')], true),
      { name: 'page of branches', request: this.#page('-/branches'), git: [], page: true },
      { name: 'page of tags', request: this.#page('-/tags'), git: [], page: true },
      { name: 'page of the project', request: this.#page(''), git: [], page: true },
    ];
  }

  async fetches(): Promise<Compared[]> {
    const tip = await this.#oid('main');
    const shown = await outputOf(this.#project.directory, ['for-each-ref', '--format=%(objectname)']);
    const all = [...new Set(shown.toString().trim().split('\n'))];
    return [
      this.#fetch('all refs, as a clone asks for', askForRefs(), 5),
      this.#fetch('shallow clone of the default branch', askForPack([tip], 1), 3),
      this.#fetch('full clone', askForPack(all), 1),
    ];
  }

  async pushes(): Promise<Cost[]> {
    const tip = await this.#oid('main');
    const [first, ...rest] = await this.#makePushes(PUSHES, tip);
    const total = { own: 0, git: 0 };
    const times: number[] = [];
    const push = async ({ body }: Push) => {
      const begun = performance.now();
      await post(this.#server.url, pushRequest(this.#server, this.#project, body));
      return performance.now() - begun;
    };
    const cold = first === undefined ? Number.NaN : await push(first);
    await this.#server.settled();
    for (const one of rest) {
      const before = this.#server.cpu();
      times.push(await push(one));
      // What the push left to jobs is its cost as well.
      await sleep(1_000);
      total.own += this.#server.cpu() - before;
      total.git += await costOfGit(() => runGit(this.#copy, ['receive-pack', '--stateless-rpc', '.'], one.body));
    }
    return [costOf('push of one commit, with its jobs', total, cold, times)];
  }

  /** Each of a branch of its own that is one commit ahead of another one. */
  async merges(): Promise<Cost[]> {
    const tip = await this.#oid('main');
    const onto = await this.#oid(`main~${APART}`);
    const pushes = await this.#makePushes(7, tip);
    const total = { own: 0, git: 0 };
    const times: number[] = [];
    let cold = Number.NaN;
    for (const [round, { body, branch, oid }] of pushes.entries()) {
      await post(this.#server.url, pushRequest(this.#server, this.#project, body));
      const target = `into-${branch}`;
      const at = `projects/${this.#project.id}`;
      await this.#server.ask(`${at}/repository/branches`, { branch: target, ref: onto });
      const asked = { title: `Merge ${branch}`, source_branch: branch, target_branch: target };
      const { iid } = JSON.parse((await this.#server.ask(`${at}/merge_requests`, asked)).text);
      await this.#mergeable(iid);
      await this.#server.settled();
      const before = this.#server.cpu();
      const begun = performance.now();
      const headers = { ...this.#headers(), 'Content-Type': 'application/json' };
      const path = `/api/v4/${at}/merge_requests/${iid}/merge`;
      await post(this.#server.url, { path, headers, method: 'PUT', body: Buffer.from('{}') });
      const taken = performance.now() - begun;
      const own = this.#server.cpu() - before;
      const ofGit = await costOfGit(() => this.#mergeByGit(oid, onto));
      if (round === 0) cold = taken;
      else {
        times.push(taken);
        total.own += own;
        total.git += ofGit;
      }
    }
    return [costOf('merge of a branch', total, cold, times)];
  }

  /** As many pushes at once as there are branches for, and a reader beside them. */
  async manyPushes(): Promise<string> {
    const pushes = await this.#makePushes(AT_ONCE, await this.#oid('main'));
    const tokens: string[] = [];
    for (let at = 0; at < PUSHERS; at++) tokens.push(await developer(this.#server, this.#project.id, `pusher-${at}`));
    await this.#server.settled();
    const reads: number[] = [];
    let isDone = false;
    const reader = async () => {
      while (!isDone) {
        reads.push(await this.#server.time(`projects/${this.#project.id}/repository/commits?per_page=20`));
        await sleep(50);
      }
    };
    const begun = performance.now();
    const before = this.#server.cpu();
    const reading = reader();
    const one = async ({ body }: Push, at: number) => {
      const token = tokens[at % tokens.length] ?? '';
      const answer = await post(this.#server.url, pushRequest({ token }, this.#project, body));
      if (!answer.includes('unpack ok') || answer.includes('ng refs/'))
        throw new Error(`A push was refused: ${answer}`);
      return performance.now() - begun;
    };
    const times = await Promise.all(pushes.map(one)).finally(() => {
      isDone = true;
      return reading;
    });
    const seconds = Math.max(...times) / 1000;
    const cpu = (this.#server.cpu() - before) / AT_ONCE;
    const rows = [
      [`${AT_ONCE} pushes at once, a branch each`, `${seconds.toFixed(1)} s`, spread(times), cpu.toFixed(0)],
      ['first page of commits meanwhile', '', spread(reads), ''],
    ];
    return table(['pushes', 'in all', 'each', 'CPU of each, ms'], rows);
  }

  #read(name: string, path: string, runs: readonly (readonly string[])[], page = false, rounds = 15): Compared {
    const request = { path: `/api/v4/projects/${this.#project.id}/${path}`, headers: this.#headers() };
    return { name, request, git: runs.map((args) => ({ args })), page, rounds };
  }

  #page(place: string): Sent {
    const project = new URL(this.#project.remote).pathname.replace(/\.git$/, '');
    return { path: `${project}/${place}`.replace(/\/$/, ''), headers: { ...this.#headers(), Accept: 'text/html' } };
  }

  #fetch(name: string, body: Buffer, rounds: number): Compared {
    const headers = {
      ...basic(this.#server),
      'Content-Type': 'application/x-git-upload-pack-request',
      'Git-Protocol': 'version=2',
    };
    const request = { path: `${new URL(this.#project.remote).pathname}/git-upload-pack`, headers, body };
    return { name, request, git: [{ args: ['upload-pack', '--stateless-rpc', '.'], input: body }], rounds };
  }

  async #makePushes(count: number, parent: string): Promise<(Push & { branch: string })[]> {
    const scratch = mkdtempSync(path.join(path.dirname(this.#copy), 'pushes-'));
    try {
      const side = path.join(scratch, 'side.git');
      await git(scratch, ['clone', '--quiet', '--bare', '--shared', '--single-branch', this.#copy, side]);
      const pushes: (Push & { branch: string })[] = [];
      for (let at = 0; at < count; at++) {
        const branch = `pushed/${this.#made++}`;
        pushes.push({ branch, ...(await pushOf(side, branch, parent)) });
      }
      return pushes;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }

  async #mergeByGit(oid: string, onto: string): Promise<void> {
    // The server has the commits of both; what git writes there is in no branch.
    const { directory } = this.#project;
    const tree = (await outputOf(directory, ['merge-tree', '--write-tree', onto, oid])).toString().trim();
    const message = ['-m', 'Merge', '-p', onto, '-p', oid];
    const merge = (await outputOf(directory, ['commit-tree', ...message, tree])).toString().trim();
    await runGit(directory, ['update-ref', 'refs/bench/merge', merge]);
  }

  async #mergeable(iid: number): Promise<void> {
    for (let round = 0; round < 600; round++, await sleep(100)) {
      const { text } = await this.#server.ask(`projects/${this.#project.id}/merge_requests/${iid}`);
      if (JSON.parse(text).merge_status === 'can_be_merged') return;
    }
    throw new Error('Nobody has looked at the merge request');
  }

  async #oid(revision: string): Promise<string> {
    return (await git(this.#project.directory, ['rev-parse', '--verify', `${revision}^{commit}`])).trim();
  }

  async #names(tip: string, folder: string): Promise<string[]> {
    return (await git(this.#project.directory, ['ls-tree', '--name-only', `${tip}:${folder}`])).trim().split('\n');
  }

  #headers(): Record<string, string> {
    return { 'PRIVATE-TOKEN': this.#server.token };
  }
}
