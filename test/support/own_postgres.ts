import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { environment, findBinaries } from '#src/platform/database/binaries.ts';
import { createCluster } from '#src/platform/database/cluster.ts';
import { chooseIdentity } from '#src/platform/database/identity.ts';
import { until } from './server_process.ts';

/** A PostgreSQL that a test starts, stops, pauses and kills as it likes. */
export interface OwnPostgres {
  /** URL of its database `postgres`. */
  url: string;
  start(): Promise<void>;
  /** Ends it: `fast` breaks sessions off in order, `immediate` as a crash does. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** Stops the clock for all of its processes; the function lets it go on. */
  pause(): () => void;
  /** Process IDs of its processes that serve connections. */
  sessions(): number[];
  /** Waits until it accepts connections. */
  ready(): Promise<void>;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  remove(): Promise<void>;
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

export interface OwnPostgresOptions {
  /** Absolute path of the cluster, which is made if it is missing and is not removed; in a directory of its own if left out. */
  cluster?: string;
  /** Further variables for its programs. */
  variables?: Record<string, string>;
}

/** Makes a cluster, unless there is one, and starts it on a free port of this machine. */
export async function ownPostgres(
  settings: Record<string, string> = {},
  options: OwnPostgresOptions = {},
): Promise<OwnPostgres> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-pg-'));
  const cluster = options.cluster ?? path.join(directory, 'cluster');
  const sockets = path.join(directory, 'run');
  mkdirSync(sockets);
  const binaries = findBinaries(path.join(directory, 'lib'));
  const identity = chooseIdentity(cluster, [sockets]);
  await (await createCluster({ cluster, binaries, identity, role: 'gantry' })).synced;
  const port = await freePort();
  const all = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: sockets, ...settings };
  const args = ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const url = `postgresql://gantry@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const query = async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: url, application_name: 'test' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      client.end().catch(() => undefined);
    }
  };
  const postgres: OwnPostgres = {
    url,
    query,
    async start() {
      const [command, wrapped] = identity.wrap(binaries.postgres, args);
      const { uid, gid } = identity;
      child = spawn(command, wrapped, {
        uid,
        gid,
        env: { ...environment(binaries), ...options.variables },
        stdio: 'ignore',
      });
      await postgres.ready();
    },
    async stop(how) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(SIGNALS[how]);
      await ended;
    },
    pause() {
      const pids = child?.pid === undefined ? [] : family(child.pid);
      signal(pids, 'SIGSTOP');
      return () => signal(pids, 'SIGCONT');
    },
    sessions: () =>
      child?.pid === undefined ? [] : family(child.pid).filter((pid) => titleOf(pid).startsWith(SESSION)),
    ready: () =>
      until(() =>
        query('select 1')
          .then(() => undefined)
          .then(
            () => true,
            () => undefined,
          ),
      ).then(() => undefined),
    async remove() {
      await postgres.stop('immediate');
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await postgres.start();
  return postgres;
}

/** Sends a signal to processes, of which some may have ended. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** How PostgreSQL calls a process that serves a connection of ours. */
const SESSION = 'postgres: gantry ';

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** A process and its children. */
export function family(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
  return [pid, ...parents.filter(([, parent]) => parent === pid).map(([child = 0]) => child)];
}

function parentOf(pid: string): number {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('There is no free port');
  return address.port;
}
