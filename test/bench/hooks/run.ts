import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchDirectory, settings, startServer } from '../../support/server_process.ts';
import { type Call, percentile, send } from '../load.ts';
import { table } from '../report.ts';

/** Events a minute, for how many seconds, and the projects that they are spread over. */
const PACE = 1_000;
const SECONDS = 30;
const PROJECTS = 50;
/** Webhooks of each project: each event goes to all of them. The first one is slow, and the second one dead. */
const HOOKS = 10;
const WELL = HOOKS - 2;
/** Users who do so: one alone may not have many requests under way. */
const USERS = 20;
/** Requests for lists that are under way at once, and milliseconds from one to the next. */
const READERS = 4;
const PAUSE = 20;
const TOKEN = 'webhooks-bench-root-token';

/** Prints how long events take to their receivers, and what that does to the lists that are read meanwhile. */
export async function measureHooks(print: (text: string) => void): Promise<void> {
  const { directory, remove } = scratchDirectory();
  const more = { GANTRY_ROOT_TOKEN: TOKEN, GANTRY_WEBHOOK_HOSTS: '127.0.0.1', LOG_LEVEL: 'warn' };
  const server = await startServer(settings(directory, more));
  const receivers = await startReceivers();
  try {
    const client = new Client(server.url);
    const projects: number[] = [];
    for (let n = 0; n < PROJECTS; n += 1)
      projects.push(await client.create('/projects', { name: `project-${n}`, visibility: 'internal' }));
    for (let n = 0; n < USERS; n += 1) await client.addUser(n);
    for (const project of projects) await fill(client, project);
    const without = await load(client, projects);
    for (const project of projects) {
      for (let n = 0; n < HOOKS; n += 1) {
        const url = `${receivers.url}/${['slow', 'dead'][n] ?? 'well'}/${project}/${n}`;
        await client.create(`/projects/${project}/hooks`, { url, push_events: false, issues_events: true, token: 'x' });
      }
    }
    const during = await load(client, projects);
    const wanted = PACE * (SECONDS / 60) * WELL;
    for (let waited = 0; (await receivers.delays()).length < wanted && waited < 60_000; waited += 1_000)
      await sleep(1_000);
    const delays = await receivers.delays();
    const line = (name: string, times: number[]) => {
      const sorted = [...times].sort((a, b) => a - b);
      return [name, String(times.length), ...[0.5, 0.95, 0.99].map((share) => percentile(sorted, share).toFixed(1))];
    };
    print(
      table(
        ['', 'count', 'p50 ms', 'p95 ms', 'p99 ms'],
        [
          line(`deliveries to ${PROJECTS * WELL} of ${PROJECTS * HOOKS} webhooks that are well`, delays),
          line('lists without webhooks', without.lists),
          line('lists with webhooks', during.lists),
          line('issues created without webhooks', without.writes),
          line('issues created with webhooks', during.writes),
        ],
      ),
    );
  } finally {
    receivers.close();
    await server.end('SIGTERM');
    remove();
  }
}

async function fill(client: Client, project: number): Promise<void> {
  for (let n = 0; n < 5; n += 1) await client.create(`/projects/${project}/issues`, { title: `Old ${n}` });
}

/** Milliseconds of each request: lists that are read all the time, and issues that are opened at the pace. */
async function load(client: Client, projects: readonly number[]): Promise<{ lists: number[]; writes: number[] }> {
  const [lists, writes]: [number[], number[]] = [[], []];
  const begun = performance.now();
  const isOver = () => performance.now() - begun > SECONDS * 1000;
  const read = async (reader: number) => {
    for (let n = reader; !isOver(); n += 1, await sleep(PAUSE)) {
      lists.push(await client.time({ path: `/projects/${projects[n % projects.length]}/issues?per_page=20` }));
    }
  };
  const write = async () => {
    const under: Promise<unknown>[] = [];
    for (let n = 0; n < PACE * (SECONDS / 60); n += 1) {
      await sleep(Math.max(0, begun + (n * 60_000) / PACE - performance.now()));
      const body = JSON.stringify({ title: `New ${n}` });
      const call: Call = { method: 'POST', path: `/projects/${projects[n % projects.length]}/issues`, body };
      under.push(client.time(call).then((time) => writes.push(time)));
    }
    await Promise.all(under);
  };
  await Promise.all([write(), ...Array.from({ length: READERS }, (_, reader) => read(reader))]);
  return { lists, writes };
}

class Client {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #tokens: string[] = [];
  #calls = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async create(path: string, body: object): Promise<number> {
    return (await this.#make(path, body)).id;
  }

  /** Adds a user, who makes some of the requests that are timed. */
  async addUser(n: number): Promise<void> {
    const name = `reader-${n}`;
    const password = `correct horse ${n}`;
    const id = await this.create('/users', { username: name, name, email: `${name}@example.org`, password });
    const { token } = await this.#make(`/users/${id}/impersonation_tokens`, { name, scopes: ['api'] });
    this.#tokens.push(token ?? '');
  }

  async #make(path: string, body: object) {
    const answer = await this.#send({ method: 'POST', path, body: JSON.stringify(body) }, TOKEN);
    return JSON.parse(answer.text) as { id: number; token?: string };
  }

  async time(call: Call): Promise<number> {
    const sent = performance.now();
    this.#calls += 1;
    await this.#send(call, this.#tokens[this.#calls % this.#tokens.length] ?? TOKEN);
    return performance.now() - sent;
  }

  async #send(call: Call, token: string) {
    const headers = { 'PRIVATE-TOKEN': token, ...(call.body && { 'Content-Type': 'application/json' }) };
    const answer = await send(this.#url, { ...call, path: `/api/v4${call.path}`, headers }, this.#agent);
    if (answer.status >= 300) throw new Error(`${call.path} answered ${answer.status}: ${answer.text}`);
    return answer;
  }
}

/** The receivers, in a process of their own. */
async function startReceivers() {
  const child = fork(new URL('./receivers.ts', import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    /** Milliseconds that each event to one that is well took so far. */
    async delays(): Promise<number[]> {
      const answered = once(child, 'message');
      child.send('delays');
      return (await answered)[0];
    },
    close: () => void child.kill(),
  };
}
