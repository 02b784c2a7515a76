import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Binaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import type { EmbeddedOptions, EmbeddedPostgres } from './embedded_options.ts';

export interface WindowsOptions extends EmbeddedOptions {
  cluster: string;
  binaries: Binaries;
  settings: Record<string, string>;
  role: string;
  database: string;
}

const execute = promisify(execFile);

/** Stops PostgreSQL when its standard input closes, which happens when the server ends in whatever way. */
const watcher = `
process.stdin.resume().on('close', () =>
  require('node:child_process').spawnSync(process.argv[1], process.argv.slice(2), { stdio: 'ignore', windowsHide: true }));
`;

/**
 * PostgreSQL on Windows: `pg_ctl` gives up administrator rights for it, and a loopback port with a password stands in for
 * the Unix socket.
 */
export async function startOnWindows(options: WindowsOptions): Promise<EmbeddedPostgres> {
  const { cluster, binaries, settings, role, database, dataDir } = options;
  const password = keepPassword(path.join(dataDir, 'postgres-password'));
  const identity = { wrap: (command: string, args: string[]): [string, string[]] => [command, args] };
  const { synced } = await createCluster({
    cluster,
    binaries,
    identity,
    role,
    passwordFile: path.join(dataDir, 'postgres-password'),
  });

  const port = await freePort();
  const all = { ...settings, listen_addresses: '127.0.0.1', port: String(port) };
  const flags = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const log = path.join(dataDir, 'postgres.log');
  await execute(binaries.pgCtl, ['start', '-w', '-D', cluster, '-l', log, '-o', flags.join(' ')], {
    windowsHide: true,
  });
  const stopArguments = ['stop', '-w', '-m', 'fast', '-D', cluster];
  spawn(process.execPath, ['-e', watcher, binaries.pgCtl, ...stopArguments], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  }).unref();

  const base = `postgresql://${role}:${password}@127.0.0.1:${port}`;
  await ensureDatabase(base, database);
  await synced;
  let stopping: Promise<void> | undefined;
  const stop = () => execute(binaries.pgCtl, stopArguments, { windowsHide: true }).then(() => undefined);
  return {
    url: `${base}/${database}`,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function keepPassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1');
  return address.port;
}

async function ensureDatabase(base: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${base}/postgres` });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
