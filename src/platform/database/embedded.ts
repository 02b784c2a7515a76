import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { makeDataDirectory } from '#src/platform/database/directories.ts';
import { findBinaries } from './binaries.ts';
import { createCluster } from './cluster.ts';
import type { EmbeddedOptions, EmbeddedPostgres } from './embedded_options.ts';
import { chooseIdentity } from './identity.ts';
import { keepRunning } from './keep.ts';
import type { Postmaster } from './postmaster.ts';
import { startPatiently } from './start_patiently.ts';
import { startOnWindows } from './windows.ts';

const role = 'gantry';
const database = 'gantry';
/** `sun_path` holds 104 bytes on macOS and 108 on Linux, and the socket's own name takes 15 of them. */
const longestSocketDirectory = 88;

const defaults: Record<string, string> = {
  shared_buffers: '128MB',
  max_connections: '60',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Nothing that holds a value from a statement may reach a log: values can be secrets.
  log_statement: 'none',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/**
 * Starts the real PostgreSQL that npm installed, on a Unix socket that only this account can reach (on Windows, on a
 * loopback port with a password), and creates its cluster first if needed. The caller holds the directory's lock.
 *
 * PostgreSQL does not outlive the process that called this, however that ends. When only PostgreSQL ends, it is started again.
 *
 * @throws Error with what PostgreSQL said, if it does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  makeDataDirectory(options.dataDir);
  const cluster = path.join(options.dataDir, 'postgres');
  const binaries = findBinaries(path.join(options.dataDir, 'postgres-lib'));
  const settings = { ...defaults, ...options.settings };
  if (process.platform === 'win32') return startOnWindows({ ...options, cluster, binaries, settings, role, database });

  const sockets = socketDirectory(options.dataDir);
  const identity = chooseIdentity(cluster, [sockets]);
  const { synced } = await createCluster({ cluster, binaries, identity, role });
  const own = { ...settings, port: '5432', listen_addresses: '', unix_socket_directories: sockets };
  const start = () => startPatiently({ cluster, binaries, identity, settings: own }, options.log);
  const postmaster = await start();
  await orStop(postmaster, Promise.all([ensureDatabase(sockets), synced]));
  const stop = keepRunning(postmaster, { start, log: options.log, onExit: options.onExit });
  return { url: databaseUrl(sockets, database), stop };
}

async function orStop(postmaster: Postmaster, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

/** A connection URL for a server on a Unix socket, as pg, Prisma's adapter and libpq read it. */
function databaseUrl(sockets: string, name: string): string {
  // All is said, so that PGPORT, PGSSLMODE and the like in the environment do not lead elsewhere.
  return `postgresql://${role}@localhost:5432/${name}?host=${encodeURIComponent(sockets)}&sslmode=disable`;
}

const SOCKET_NOTE = 'socket-directory';

/**
 * The socket directory: `run` in the data directory; where that path is too long for a socket, a short directory among
 * the temporary files, remembered in the file `socket-directory`.
 */
function socketDirectory(dataDir: string): string {
  const inside = path.join(dataDir, 'run');
  if (Buffer.byteLength(inside) <= longestSocketDirectory) {
    mkdirSync(inside, { recursive: true, mode: 0o700 });
    return inside;
  }
  // A directory that is left from an earlier start is not trusted to be still ours: temporary directories are cleaned.
  removeSocketDirectory(dataDir);
  const note = path.join(dataDir, SOCKET_NOTE);
  const base = Buffer.byteLength(tmpdir()) <= longestSocketDirectory - 16 ? tmpdir() : '/tmp';
  const outside = mkdtempSync(path.join(base, 'gantry-'));
  writeFileSync(note, outside, { mode: 0o600 });
  process.once('exit', () => rmSync(outside, { recursive: true, force: true }));
  return outside;
}

/** Removes the directory outside, if an earlier start has made one. */
export function removeSocketDirectory(dataDir: string): void {
  try {
    const old = readFileSync(path.join(dataDir, SOCKET_NOTE), 'utf8').trim();
    const isOurs = lstatSync(old).uid === process.getuid?.();
    if (isOurs && path.basename(old).startsWith('gantry-')) rmSync(old, { recursive: true, force: true });
  } catch {
    // No note, or someone else's directory by now: neither matters, as a new one is made.
  }
}

/** Creates the database at the first start. */
async function ensureDatabase(sockets: string): Promise<void> {
  try {
    await connectOnce(databaseUrl(sockets, database));
  } catch (error) {
    const missing = (error as { code?: string }).code === '3D000';
    if (!missing) throw error;
    await connectOnce(databaseUrl(sockets, 'postgres'), `create database ${database}`);
  }
}

async function connectOnce(connectionString: string, statement?: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    if (statement !== undefined) await client.query(statement);
  } finally {
    await client.end();
  }
}
