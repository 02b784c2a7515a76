import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  postgresPid,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../../support/server_process.ts';
import { type Answer, type Call, send } from '../load.ts';
import { cpuOf, parentOf, residentMegabytes } from '../process_tree.ts';
import { git } from './program.ts';

/** A project of the server under measurement. */
export interface BenchProject {
  id: number;
  /** Of its bare repository. */
  directory: string;
  /** With credentials. */
  remote: string;
}

/** The real server, with its own PostgreSQL and an empty data directory. */
export class RepositoryServer {
  readonly #data: ReturnType<typeof scratchDirectory>;
  #process: ServerProcess;
  readonly #token: string;

  private constructor(data: ReturnType<typeof scratchDirectory>, process: ServerProcess, token: string) {
    this.#data = data;
    this.#process = process;
    this.#token = token;
  }

  static async start(): Promise<RepositoryServer> {
    const data = scratchDirectory();
    const process = await startServer(settings(data.directory, { LOG_LEVEL: 'warn' }));
    return new RepositoryServer(data, process, printed(process.output(), 'Private token') ?? '');
  }

  /** Ends the process and starts another one. */
  async restart(): Promise<void> {
    await this.#process.end('SIGTERM');
    this.#process = await startServer(settings(this.#data.directory, { LOG_LEVEL: 'warn' }));
  }

  async stop(): Promise<void> {
    await this.#process.end('SIGTERM');
    this.#data.remove();
  }

  get pid(): number {
    return this.#process.child.pid ?? 0;
  }

  /** The private token of the administrator. */
  get token(): string {
    return this.#token;
  }

  get url(): string {
    return this.#process.url;
  }

  /** A request for a path under the REST API. */
  call(path: string, body?: object): Call {
    const headers = { 'PRIVATE-TOKEN': this.#token };
    const call: Call = { path: `/api/v4/${path}`, headers };
    return body === undefined ? call : { ...call, method: 'POST', body: JSON.stringify(body) };
  }

  /** Throws Error unless the answer is a success. */
  async ask(path: string, body?: object): Promise<Answer> {
    const answer = await send(this.url, this.call(path, body));
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return answer;
  }

  /** Milliseconds from the request to the last byte of the answer. */
  async time(path: string, body?: object): Promise<number> {
    const begun = performance.now();
    await this.ask(path, body);
    return performance.now() - begun;
  }

  async createProject(name: string): Promise<BenchProject> {
    const { id, http_url_to_repo: url } = JSON.parse((await this.ask('projects', { name })).text);
    const folder = (id % 256).toString(16).padStart(2, '0');
    const directory = path.join(this.#data.directory, 'repositories', folder, `${id}.git`);
    return { id, directory, remote: url.replace('http://', `http://oauth2:${this.#token}@`) };
  }

  /**
   * A project to which all branches and tags of a bare repository were pushed, that of its HEAD first.
   *
   * @param name of the project
   */
  async push(source: string, name: string): Promise<BenchProject> {
    const project = await this.createProject(name);
    const head = (await git(source, ['symbolic-ref', 'HEAD'])).trim();
    await git(source, ['push', '--quiet', project.remote, head]);
    await git(source, ['push', '--quiet', project.remote, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*']);
    return project;
  }

  /** Resident memory in MB, with the programs of git that it runs but without PostgreSQL; not a number where nobody tells. */
  memory(): number {
    return residentMegabytes(this.pid, parentOf(postgresPid(this.#data.directory)));
  }

  /** Milliseconds of CPU that it and the programs that it ran have used so far, without PostgreSQL. */
  cpu(): number {
    return cpuOf(this.pid, parentOf(postgresPid(this.#data.directory)));
  }

  /** Waits until it has next to nothing to do: jobs that earlier requests left are done. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      const before = this.cpu();
      await sleep(1_000);
      quiet = this.cpu() - before <= 50 ? quiet + 1 : 0;
    }
  }

  /** The most that memory grows beyond `idle` while the work runs, in MB. */
  async growth(idle: number, work: () => Promise<unknown>): Promise<number> {
    let most = this.memory();
    const watching = setInterval(() => {
      most = Math.max(most, this.memory());
    }, 20);
    try {
      await work();
    } finally {
      clearInterval(watching);
    }
    return Math.max(most, this.memory()) - idle;
  }

  /** Memory once nothing has happened for so long that the server gives back what it can, in MB. */
  async idleMemory(): Promise<number> {
    await sleep(18_000);
    return this.memory();
  }
}

/** What the machine has, for the head of the tables. */
export function processors(): string {
  return `${availableParallelism()} cores`;
}
