import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from './own_postgres.ts';
import { until } from './server_process.ts';

/** The programs of PostgreSQL as Debian installs them, of the latest version there is; null where there are none. */
export const postgresPrograms = findPrograms();

function findPrograms(): string | null {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((one, other) => Number(other) - Number(one)) : [];
  const found = versions.find((version) => existsSync(path.join(root, version, 'bin', 'initdb')));
  return found === undefined ? null : path.join(root, found, 'bin');
}

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  return findProgram(program) !== null;
}

function findProgram(program: string): string | null {
  const directories = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
  return directories.map((directory) => path.join(directory, program)).find((file) => existsSync(file)) ?? null;
}

/** These programs refuse to run as root: for root they run as Debian's account for them. */
const account = process.getuid?.() === 0 ? accountOf('postgres') : {};

function accountOf(name: string): { uid?: number; gid?: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined ? {} : { uid: Number(uid), gid: Number(gid) };
}

/** A directory that these programs may use, below one that they may pass. */
function ownDirectory(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const scratch = tmpdir();
  for (let at = path.dirname(directory); at !== scratch && at.startsWith(scratch); at = path.dirname(at))
    chmodSync(at, 0o711);
  if (account.uid !== undefined && account.gid !== undefined) chownSync(directory, account.uid, account.gid);
  return directory;
}

/** A program that was started and is ended by whoever started it. */
export interface Engine {
  port: number;
  child: ChildProcess;
  /** What it said so far. */
  output(): string;
  /** Sends a signal, and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

function start(program: string, args: string[], port: number): Engine {
  const child = spawn(program, args, { ...account, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (part) => (text += part));
  const closed = once(child, 'close');
  return {
    port,
    child,
    output: () => text,
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await closed;
    },
  };
}

/** A PostgreSQL server of Debian's. */
export interface Cluster extends Engine {
  directory: string;
  /** Makes a standby take writes. */
  promote(): void;
}

/** The URL of a database on the engines, several hosts in their order. */
export function urlOf(engines: Engine[], database: string): string {
  return `postgresql://gantry:secret@${engines.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`;
}

/** Starts an empty PostgreSQL with an account `gantry` that owns an empty database of that name. */
export async function startCluster(directory: string, settings: Record<string, string> = {}): Promise<Cluster> {
  const programs = postgresPrograms ?? '';
  ownDirectory(directory);
  const options = { ...account, stdio: 'ignore' as const };
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  );
  const cluster = await run(directory, settings);
  const administrator = new pg.Client(`postgresql://postgres@127.0.0.1:${cluster.port}/postgres`);
  await administrator.connect();
  await administrator.query("CREATE ROLE gantry LOGIN PASSWORD 'secret'");
  await administrator.query('CREATE DATABASE gantry OWNER gantry');
  await administrator.end();
  return cluster;
}

/** Starts a standby that follows a cluster by streaming. */
export async function startStandby(directory: string, primary: Cluster): Promise<Cluster> {
  ownDirectory(directory);
  const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
  const args = ['-D', directory, '-R', '-X', 'stream', '--no-sync', '-c', 'fast', '-d', from];
  execFileSync(path.join(postgresPrograms ?? '', 'pg_basebackup'), args, { ...account, stdio: 'ignore' });
  return run(directory, {});
}

async function run(directory: string, settings: Record<string, string>): Promise<Cluster> {
  const port = await freePort();
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: `${port}`,
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const programs = postgresPrograms ?? '';
  const engine = start(path.join(programs, 'postgres'), ['-D', directory, ...args], port);
  await until(async () => {
    if (engine.child.exitCode !== null) throw new Error(engine.output());
    return spawnSync(path.join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', `${port}`]).status === 0 || undefined;
  });
  return {
    ...engine,
    directory,
    promote: () =>
      void execFileSync(path.join(programs, 'pg_ctl'), ['promote', '-D', directory, '-W'], {
        ...account,
        stdio: 'ignore',
      }),
  };
}

/** Starts a PgBouncer before a cluster that lends its sessions by the transaction. */
export async function startPooler(directory: string, cluster: Cluster): Promise<Engine> {
  ownDirectory(directory);
  const port = await freePort();
  const users = path.join(directory, 'users.txt');
  writeFileSync(users, '"gantry" "secret"\n');
  const file = path.join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `gantry = host=127.0.0.1 port=${cluster.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'default_pool_size = 5',
      'max_client_conn = 200',
      '',
    ].join('\n'),
  );
  const engine = start(findProgram('pgbouncer') ?? '', [file], port);
  await until(() => {
    if (engine.child.exitCode !== null) throw new Error(engine.output());
    return /process up|listening on/.test(engine.output()) || undefined;
  });
  return engine;
}
