import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '#src/platform/package_root.ts';
import { type Balancer, startBalancer } from '../../support/balancer.ts';
import { HAS_HAPROXY, startHaproxy } from '../../support/haproxy.ts';
import { family, freePort, type OwnPostgres, ownPostgres } from '../../support/own_postgres.ts';
import { type ServerProcess, scratchDirectory, settings, startServer, until } from '../../support/server_process.ts';

/** What can be killed: a server, a worker, the whole database, one of its processes, or a program of git that works for a server. */
export const TARGETS = ['server', 'worker', 'database', 'session', 'git'] as const;
export type Target = (typeof TARGETS)[number];

const SERVERS = 2;

/** Two servers behind a balancer, a worker, and the database of all; what is killed starts again. */
export class Installation {
  readonly kills: Record<Target, number> = { server: 0, worker: 0, database: 0, session: 0, git: 0 };
  readonly directory: string;
  readonly postgres: OwnPostgres;
  readonly #remove: () => void;
  readonly #ports: number[];
  readonly #token: string;
  readonly #servers: (ServerProcess | null)[] = [];
  readonly #starting: Promise<void>[] = [];
  #worker: ChildProcess | null = null;
  #balancer: Balancer | null = null;
  #isEnding = false;

  private constructor(token: string, postgres: OwnPostgres, ports: number[]) {
    const { directory, remove } = scratchDirectory();
    this.directory = directory;
    this.#remove = remove;
    mkdirSync(this.temporary);
    this.#token = token;
    this.postgres = postgres;
    this.#ports = ports;
  }

  static async start(token: string): Promise<Installation> {
    const ports = await Promise.all(Array.from({ length: SERVERS }, freePort));
    const made = new Installation(token, await ownPostgres(), ports);
    // The first prepares the database.
    for (let number = 0; number < SERVERS; number += 1) await made.#serve(number);
    await made.#work();
    const balance = HAS_HAPROXY ? startHaproxy : startBalancer;
    made.#balancer = await balance(ports.map((port) => `http://127.0.0.1:${port}`));
    return made;
  }

  get url(): string {
    return this.#balancer?.url ?? '';
  }

  get data(): string {
    return path.join(this.directory, 'data');
  }

  /** Where its processes keep temporary files. */
  get temporary(): string {
    return path.join(this.directory, 'tmp');
  }

  environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
    return settings(this.data, {
      TMPDIR: this.temporary,
      DATABASE_URL: this.postgres.url,
      GANTRY_ROOT_TOKEN: this.#token,
      ...more,
    });
  }

  /** Starts a server again and again until it stays: one that starts while there is no database ends. */
  async #serve(number: number): Promise<void> {
    while (!this.#isEnding) {
      const env = this.environment({ GANTRY_QUEUES: 'none', PORT: String(this.#ports[number]) });
      const server = await startServer(env).catch(() => null);
      this.#servers[number] = server;
      if (server) return;
      await sleep(200);
    }
  }

  /** Starts a worker, and another one whenever one ends: one that starts while there is no database ends by itself. */
  async #work(): Promise<void> {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const worker = spawn(process.execPath, [packagePath('bin/gantry.js'), 'work'], {
      env: this.environment(),
      cwd: tmpdir(),
      stdio: [...stdio],
    });
    this.#worker = worker;
    const ended = once(worker, 'exit');
    const next = async () => {
      await ended;
      await sleep(200);
      if (!this.#isEnding) await this.#work();
    };
    const again = next();
    const isStarted = await Promise.race([once(worker.stdout, 'data').then(() => true), ended.then(() => false)]);
    worker.stdout.resume();
    if (isStarted) again.catch(() => undefined);
    else await again;
  }

  /** Kills something, if there is such a thing now. Returns whether there was. */
  async kill(target: Target, random: () => number): Promise<boolean> {
    const wasThere = await this.#killOne(target, random);
    if (wasThere) this.kills[target] += 1;
    return wasThere;
  }

  async #killOne(target: Target, random: () => number): Promise<boolean> {
    if (target === 'server') return this.#killServer(Math.floor(random() * SERVERS));
    if (target === 'worker') return this.#killWorker();
    if (target === 'database') {
      await this.postgres.stop('immediate');
      await this.postgres.start();
      return true;
    }
    const pids = target === 'git' ? await this.#gits() : this.postgres.sessions();
    const pid = pids[Math.floor(random() * pids.length)];
    return pid !== undefined && signalled(pid);
  }

  async #killServer(number: number): Promise<boolean> {
    // One at a time, so that people get something done in between.
    await Promise.all(this.#starting.slice(0, SERVERS));
    await this.#servers[number]?.end('SIGKILL');
    this.#starting[number] = this.#serve(number);
    return true;
  }

  async #killWorker(): Promise<boolean> {
    const worker = this.#worker;
    if (!worker || worker.exitCode !== null || worker.signalCode !== null) return false;
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    return true;
  }

  /** The programs of git below servers and worker; they live for milliseconds, so it is looked for a while. */
  async #gits(): Promise<number[]> {
    for (let tries = 0; tries < 200; tries += 1) {
      const roots = [...this.#servers.map((server) => server?.child.pid), this.#worker?.pid].filter(
        (pid) => pid !== undefined,
      );
      const found = roots.flatMap(descendants).filter((pid) => nameOf(pid) === 'git');
      if (found.length > 0) return found;
      await sleep(5);
    }
    return [];
  }

  /** Temporary files of processes that are gone. */
  left(): string[] {
    return readdirSync(this.temporary).filter((name) => {
      const pid = /^gantry-[a-z]+-[0-9a-f]{8}-(\d+)-/.exec(name)?.[1];
      return pid !== undefined && !existsSync(`/proc/${pid}`);
    });
  }

  /** Waits until all that was killed runs again. */
  async started(): Promise<void> {
    await Promise.all(this.#starting);
    await until(() => (this.#worker?.exitCode === null && this.#worker.signalCode === null) || undefined);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#worker?.kill('SIGKILL');
    await Promise.all(this.#servers.map((server) => server?.end('SIGKILL')));
    await this.#balancer?.close();
    await this.postgres.remove();
    this.#remove();
  }
}

function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function descendants(pid: number): number[] {
  return family(pid)
    .slice(1)
    .flatMap((child) => [child, ...descendants(child)]);
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** All files below a directory. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
