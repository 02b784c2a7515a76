import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { startBalancer } from '../support/balancer.ts';
import { commitFile, gitClient, workingCopy } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import { HAS_HAPROXY, startHaproxy } from '../support/haproxy.ts';
import { freePort, ownPostgres } from '../support/own_postgres.ts';
import { type ServerProcess, scratchDirectory, settings, startServer, until } from '../support/server_process.ts';

/** Seconds of mixed traffic, and between two kills. */
const SECONDS = Number(process.env.CAMPAIGN_SECONDS ?? 60);
const PAUSE = 4;

const TOKEN = 'campaign-token-0123456789';
const endings: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

/** An answer; `status` 0 where none came: then nobody knows whether it was done. */
interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  body: any;
}

function api(url: () => string) {
  return async (method: string, at: string, body?: object): Promise<Answer> => {
    const headers = { 'PRIVATE-TOKEN': TOKEN, ...(body && { 'Content-Type': 'application/json' }) };
    try {
      const signal = AbortSignal.timeout(90_000);
      const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${url()}/api/v4${at}`, init);
      return { status: answer.status, body: await answer.json().catch(() => null) };
    } catch {
      return { status: 0, body: null };
    }
  };
}

type Send = ReturnType<typeof api>;

/** What clients were told, to be held against what there is in the end. */
class Ledger {
  readonly issues = new Set<string>();
  /** File of a commit by the API, and the commit. */
  readonly commits = new Map<string, string>();
  /** Branch of a push, and its tip. */
  readonly pushes = new Map<string, string>();
  readonly uploads = new Map<string, string>();
  readonly forks: { id: number; of: string }[] = [];
  /** The last name of a project that was acknowledged, and all that were asked for after it. */
  readonly names = new Map<number, string[]>();
  readonly deleted: number[] = [];
  readonly statuses = new Map<number, number>();

  readonly refusals: Answer[] = [];

  count(answer: Answer): boolean {
    const { status } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // What is not done is refused in a way that says: later. 502 is the balancer's own word for a server that was killed.
    if (status >= 400 && ![502, 503].includes(status)) this.refusals.push(answer);
    if (status === 0 || status >= 500) return false;
    return status < 300;
  }
}

interface Traffic {
  send: Send;
  url: () => string;
  project: number;
  ledger: Ledger;
  signal: AbortSignal;
}

async function openIssues({ send, project, ledger, signal }: Traffic, name: string): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const title = `${name} ${n}`;
    if (ledger.count(await send('POST', `/projects/${project}/issues`, { title }))) ledger.issues.add(title);
    else await sleep(100);
  }
}

async function commitFiles({ send, project, ledger, signal }: Traffic, name: string): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const file = `${name}/${n}.txt`;
    const actions = [{ action: 'create', file_path: file, content: file }];
    const change = { branch: 'main', commit_message: `Add ${file}`, actions };
    const answer = await send('POST', `/projects/${project}/repository/commits`, change);
    if (ledger.count(answer)) ledger.commits.set(file, answer.body.id);
    else await sleep(100);
  }
}

async function pushBranches({ url, ledger, signal }: Traffic, name: string): Promise<void> {
  const copy = await workingCopy();
  for (let n = 0; !signal.aborted; n += 1) {
    const tip = await commitFile(copy, 'pushed.txt', `${name} ${n}\n`);
    const branch = `${name}/${n}`;
    const remote = `${url().replace('://', `://oauth2:${TOKEN}@`)}/root/campaign.git`;
    const { code } = await gitClient(copy, 'push', '--quiet', remote, `HEAD:refs/heads/${branch}`);
    if (code === 0) ledger.pushes.set(branch, tip);
    else await sleep(100);
  }
}

async function uploadFiles({ url, project, ledger, signal }: Traffic): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const form = new FormData();
    form.append('file', new File([`content ${n}`], 'notes.txt'));
    const init = { method: 'POST', headers: { 'PRIVATE-TOKEN': TOKEN }, body: form };
    const answer = await fetch(`${url()}/api/v4/projects/${project}/uploads`, init).catch(() => null);
    const body = (await answer?.json().catch(() => null)) as { url: string } | null;
    if (answer?.status === 201 && body) ledger.uploads.set(body.url, `content ${n}`);
    await sleep(200);
  }
}

/** Makes projects, renames them, forks some and deletes others. */
async function moveProjects({ send, ledger, signal, project }: Traffic): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const made = await send('POST', '/projects', { name: `moving-${n}` });
    if (!ledger.count(made)) continue;
    const { id } = made.body;
    const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }];
    await send('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'A', actions });
    const names = [`moving-${n}`];
    ledger.names.set(id, names);
    const path = `renamed-${n}`;
    names.push(path);
    if (ledger.count(await send('PUT', `/projects/${id}`, { path }))) names.splice(0, names.length, path);
    if (n % 2 === 0) {
      const deletion = await send('DELETE', `/projects/${id}`);
      if (ledger.count(deletion)) ledger.deleted.push(id);
      // Where no answer came, nobody knows whether the project is gone.
      if (deletion.status < 300 || deletion.status === 502) ledger.names.delete(id);
    }
    if (n % 3 !== 0) continue;
    const group = await send('POST', '/groups', { name: `copies-${n}`, path: `copies-${n}` });
    if (!ledger.count(group)) continue;
    const copy = await send('POST', `/projects/${project}/fork`, { namespace: `copies-${n}` });
    if (ledger.count(copy)) ledger.forks.push({ id: copy.body.id, of: `copies-${n}` });
  }
}

async function readLists({ send, project, ledger, signal }: Traffic): Promise<void> {
  const lists = ['issues', 'repository/commits', 'repository/branches', 'events', 'repository/tree'];
  for (let n = 0; !signal.aborted; n += 1) {
    ledger.count(await send('GET', `/projects/${project}/${lists[n % lists.length]}?per_page=100`));
  }
}

async function everything(send: Send, at: string): Promise<Answer['body'][]> {
  const found: Answer['body'][] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await send('GET', `${at}${at.includes('?') ? '&' : '?'}per_page=100&page=${page}`);
    expect(status).toBe(200);
    found.push(...body);
    if (body.length < 100) return found;
  }
}

type Env = (more: Record<string, string>) => NodeJS.ProcessEnv;

/** A process that works on jobs. */
function spawnWorker(env: NodeJS.ProcessEnv): ChildProcess {
  const { GANTRY_QUEUES: _, ...settings } = env;
  return spawn(process.execPath, [packagePath('bin/gantry.js'), 'work'], {
    env: settings,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Three servers behind a balancer, two workers, and the database of all. */
class Installation {
  readonly kills = { server: 0, worker: 0, database: 0 };
  readonly #env: Env;
  readonly #ports: number[];
  readonly #postgres: Awaited<ReturnType<typeof ownPostgres>>;
  readonly #servers: ServerProcess[] = [];
  readonly #workers: ChildProcess[] = [];
  /** What was killed starts again while the next one is killed. */
  readonly #starting: Promise<void>[] = [];

  constructor(env: Env, ports: number[], postgres: Awaited<ReturnType<typeof ownPostgres>>) {
    this.#env = env;
    this.#ports = ports;
    this.#postgres = postgres;
  }

  async start(): Promise<void> {
    await Promise.all([this.#serve(0), this.#serve(1), this.#serve(2), this.#work(0), this.#work(1)]);
  }

  async #serve(number: number): Promise<void> {
    this.#servers[number] = await startServer(this.#env({ PORT: String(this.#ports[number]) }));
  }

  async #work(number: number): Promise<void> {
    const worker = spawnWorker(this.#env({}));
    this.#workers[number] = worker;
    await once(worker.stdout as NodeJS.ReadableStream, 'data');
    worker.stdout?.resume();
  }

  /** Kills a server, with each third one the database too, and with each second one a worker; all start again. */
  async kill(n: number): Promise<void> {
    const number = n % 3;
    await this.#starting[number];
    this.kills.server += 1;
    await this.#servers[number]?.end('SIGKILL');
    if (number === 2) await this.#killDatabase();
    this.#starting[number] = this.#serve(number);
    if (n % 2 === 0) await this.#killWorker((n / 2) % 2);
  }

  async #killDatabase(): Promise<void> {
    this.kills.database += 1;
    // A server that just starts ends when there is no database.
    await this.started();
    await this.#postgres.stop('immediate');
    await this.#postgres.start();
  }

  async #killWorker(number: number): Promise<void> {
    this.kills.worker += 1;
    this.#workers[number]?.kill('SIGKILL');
    await this.#work(number);
  }

  async started(): Promise<void> {
    await Promise.all(this.#starting);
  }

  async end(): Promise<void> {
    for (const worker of this.#workers) worker.kill('SIGKILL');
    await Promise.all(this.#servers.map((server) => server.end('SIGKILL')));
  }
}

/** Starts everything; what is told to `endings` ends it. */
async function install() {
  const scratch = scratchDirectory();
  endings.push(scratch.remove);
  const postgres = await ownPostgres();
  endings.push(() => postgres.remove());
  const shared = {
    DATABASE_URL: postgres.url,
    GANTRY_ROOT_TOKEN: TOKEN,
    GANTRY_QUEUES: 'none',
    GANTRY_DRAIN_SECONDS: '0',
  };
  const env: Env = (more) => settings(path.join(scratch.directory, 'data'), { ...shared, ...more });
  const ports = [await freePort(), await freePort(), await freePort()];
  const installation = new Installation(env, ports, postgres);
  endings.push(() => installation.end());
  await installation.start();
  const balance = HAS_HAPROXY ? startHaproxy : startBalancer;
  const balancer = await balance(ports.map((port) => `http://127.0.0.1:${port}`));
  endings.push(() => balancer.close());
  return { installation, directory: scratch.directory, databaseUrl: postgres.url, url: () => balancer.url };
}

/** A project whose commits have pipelines. */
async function projectWithPipelines(send: Send): Promise<number> {
  const made = await send('POST', '/projects', { name: 'campaign' });
  expect(made.status).toBe(201);
  const ci = 'test:\n  script: ["true"]\n';
  const first = await send('POST', `/projects/${made.body.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'First',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: ci }],
  });
  expect(first.status).toBe(201);
  return made.body.id;
}

/** Eight clients that do everything at once; resolves when they have stopped. */
async function busy(traffic: Traffic): Promise<void> {
  await Promise.all([
    openIssues(traffic, 'a'),
    openIssues(traffic, 'b'),
    commitFiles(traffic, 'one'),
    commitFiles(traffic, 'two'),
    pushBranches(traffic, 'pushed'),
    uploadFiles(traffic),
    moveProjects(traffic),
    readLists(traffic),
  ]);
}

test('Three servers, two workers and a database that are killed again and again lose nothing that was acknowledged', {
  timeout: 600_000,
}, async () => {
  const { installation, directory, databaseUrl, url } = await install();
  const send = api(url);
  const project = await projectWithPipelines(send);

  const ledger = new Ledger();
  const stop = new AbortController();
  const clients = busy({ send, url, project, ledger, signal: stop.signal });
  const end = performance.now() + SECONDS * 1000;
  for (let n = 0; performance.now() < end; n += 1) {
    await sleep(PAUSE * 1000);
    await installation.kill(n);
  }
  await installation.started();
  stop.abort();
  await clients;

  const { issues, commits, pushes, uploads, forks, names, deleted, statuses } = ledger;
  const counts = { issues: issues.size, commits: commits.size, pushes: pushes.size, uploads: uploads.size };
  const moved = { renamed: names.size, forks: forks.length, deleted: deleted.length };
  console.info(
    `Killed ${JSON.stringify(installation.kills)}; acknowledged ${JSON.stringify({ ...counts, ...moved })}; answers ${JSON.stringify([...statuses])}`,
  );
  for (const count of [...Object.values(counts), moved.renamed]) expect(count).toBeGreaterThan(0);
  expect(ledger.refusals).toEqual([]);

  await until(async () => (await send('GET', '/version')).status === 200 || undefined);
  await settled(send, databaseUrl);
  await holds(send, project, ledger, url());
  await fsck(directory, project, ledger);
});

/** Waits until no job is left to be done, those that are tried again later included, and fails on jobs that were given up. */
async function settled(send: Send, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const deadline = performance.now() + 180_000;
    for (;;) {
      const { body } = await send('GET', '/bgjobs/compound_metrics');
      expect(body.queues.dead_letters.backlog).toBe(0);
      // The metrics leave out those that wait for their next attempt, and those of a worker that was killed.
      const { rows } = await client.query(`SELECT name, state, retry_count FROM pgboss.job
        WHERE state IN ('created', 'retry', 'active') AND NOT starts_with(name, '__')`);
      if (rows.length === 0) return;
      if (performance.now() > deadline) throw new Error(`Jobs are left: ${JSON.stringify(rows)}`);
      await sleep(500);
    }
  } finally {
    await client.end();
  }
}

async function holds(send: Send, project: number, ledger: Ledger, url: string): Promise<void> {
  const at = `/projects/${project}`;
  const titles = (await everything(send, `${at}/issues`)).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect([...ledger.issues].filter((title) => !titles.includes(title))).toEqual([]);
  const iids = (await everything(send, `${at}/issues`)).map(({ iid }) => iid);
  expect(new Set(iids).size).toBe(iids.length);

  const history = new Set((await everything(send, `${at}/repository/commits`)).map(({ id }) => id));
  expect([...ledger.commits].filter(([, id]) => !history.has(id))).toEqual([]);
  const files = new Set((await everything(send, `${at}/repository/tree?recursive=true`)).map(({ path }) => path));
  expect([...ledger.commits.keys()].filter((file) => !files.has(file))).toEqual([]);

  const tips = new Map(
    (await everything(send, `${at}/repository/branches`)).map(({ name, commit }) => [name, commit.id]),
  );
  expect([...ledger.pushes].filter(([branch, tip]) => tips.get(branch) !== tip)).toEqual([]);

  for (const [file, content] of ledger.uploads) {
    const answer = await fetch(`${url}/root/campaign${file}`, { headers: { 'PRIVATE-TOKEN': TOKEN } });
    expect(await answer.text()).toBe(content);
  }

  for (const [id, names] of ledger.names) expect(names).toContain((await send('GET', `/projects/${id}`)).body.path);
  for (const id of ledger.deleted) expect((await send('GET', `/projects/${id}`)).status).toBe(404);
  for (const { id } of ledger.forks)
    expect((await send('GET', `/projects/${id}/repository/branches/main`)).status).toBe(200);

  // Counters are what is counted.
  const found = (await send('GET', `${at}?statistics=true`)).body;
  expect(found.open_issues_count).toBe(titles.length);
  expect(found.statistics.commit_count).toBe(history.size);
  expect(found.forks_count).toBe(ledger.forks.length + (await extraForks(send, project, ledger)));

  // One event for each push, and one pipeline.
  const events = await everything(send, `${at}/events`);
  const pushed = events.flatMap(({ data }) => (data ? [`${data.ref} ${data.after}`] : []));
  expect(new Set(pushed).size).toBe(pushed.length);
  const missing = [...ledger.pushes].filter(([branch, tip]) => !pushed.includes(`refs/heads/${branch} ${tip}`));
  expect(missing).toEqual([]);
  const pipelines = (await everything(send, `${at}/pipelines`)).map(({ ref, sha }) => `${ref} ${sha}`);
  expect(new Set(pipelines).size).toBe(pipelines.length);
  expect([...ledger.commits.values()].filter((id) => !pipelines.includes(`main ${id}`))).toEqual([]);
}

/** Forks that were made although their answer did not come. */
async function extraForks(send: Send, project: number, ledger: Ledger): Promise<number> {
  const known = new Set(ledger.forks.map(({ id }) => id));
  const all = await everything(send, '/projects');
  return all.filter((one) => one.forked_from_project?.id === project && !known.has(one.id)).length;
}

async function fsck(directory: string, project: number, ledger: Ledger): Promise<void> {
  const repository = (id: number) =>
    path.join(directory, 'data', 'repositories', (id % 256).toString(16).padStart(2, '0'), `${id}.git`);
  for (const id of [project, ...ledger.names.keys(), ...ledger.forks.map((fork) => fork.id)]) {
    if (existsSync(repository(id))) git(repository(id), ['fsck', '--strict', '--no-dangling']);
  }
  expect(ledger.deleted.filter((id) => existsSync(repository(id)))).toEqual([]);
}
