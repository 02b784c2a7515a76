import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '#src/platform/config/config.ts';
import { removeSocketDirectory } from '#src/platform/database/embedded.ts';
import type { DatabaseLog } from '#src/platform/database/embedded_options.ts';
import { lockDataDirectory } from '#src/platform/database/lock.ts';
import { endOrphans } from '#src/platform/database/orphan.ts';
import { temporaryBase, temporaryBases } from './temporary_base.ts';

const PREFIX = 'gantry-ephemeral-';
/** A file that only the directories of ephemeral servers have. */
const MARKER = 'ephemeral';

/** Where the tests that use the server listen for its webhooks. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

export interface TemporaryOptions {
  log: DatabaseLog;
  resources: AsyncDisposableStack;
  port?: number | undefined;
  exposed: boolean;
}

/**
 * The settings of a server that keeps nothing: a data directory that is removed at the end, its own PostgreSQL and a free port.
 * What servers have left that were killed is removed first.
 *
 * @param port 0 takes a free one
 * @param exposed whether others can reach the server: their webhooks do not lead to this machine then
 * @throws Error when no directory can be made
 */
export async function temporaryConfig(
  config: Config,
  { log, resources, port = 0, exposed }: TemporaryOptions,
): Promise<Config> {
  for (const base of temporaryBases()) await clearLeftovers(base, log);
  const dataDir = makeTemporary();
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  // At exit as well: a second signal or an uncaught error skips the orderly shutdown.
  process.once('exit', remove);
  resources.defer(remove);
  const storages = Object.fromEntries(Object.keys(config.storages).map((name) => [name, path.join(dataDir, name)]));
  const ssh = config.ssh && { ...config.ssh, port: 0, keys: path.join(dataDir, 'ssh') };
  const { databaseUrl: _, databaseDirectUrl: __, databaseReadUrl: ___, externalUrl: ____, ...rest } = config;
  const uploads = { directory: path.join(dataDir, 'uploads') };
  const webhookHosts = exposed ? config.webhookHosts : [...config.webhookHosts, ...LOCAL_HOSTS];
  return { ...rest, ssh, dataDir, storages, uploads, port, webhookHosts };
}

function makeTemporary(): string {
  const base = temporaryBase();
  try {
    return mkdtempSync(path.join(base, PREFIX));
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`No directory can be made in ${base}: ${reason}. Set TMPDIR to another directory.`, {
      cause: error,
    });
  }
}

/**
 * Marks the data directory of an ephemeral server as one that may go with the server. To be called while the directory's lock
 * is held: a process that finds the marker and gets the lock knows that the server is gone.
 */
export function markEphemeral(dataDir: string): void {
  writeFileSync(path.join(dataDir, MARKER), 'The directory of a server that ran with --ephemeral.\n', { mode: 0o600 });
}

/** Removes the directories of ephemeral servers that were killed, and ends the PostgreSQL that may still run there. */
export async function clearLeftovers(base: string, log: DatabaseLog): Promise<void> {
  for (const name of readdirSync(base).filter((name) => name.startsWith(PREFIX))) {
    const directory = path.join(base, name);
    try {
      if (isMarked(directory)) await clear(directory);
    } catch (error) {
      log.warn(`${directory}, which an ephemeral server left, could not be removed: ${(error as Error).message}`);
    }
  }
}

/** Whether it is a directory of this account, not a link to one, with a marker of this account. */
function isMarked(directory: string): boolean {
  const isOwn = (place: string, kind: 'isDirectory' | 'isFile') => {
    const found = lstatSync(place, { throwIfNoEntry: false });
    return found?.[kind]() === true && (process.getuid === undefined || found.uid === process.getuid());
  };
  return isOwn(directory, 'isDirectory') && isOwn(path.join(directory, MARKER), 'isFile');
}

async function clear(directory: string): Promise<void> {
  let lock: ReturnType<typeof lockDataDirectory>;
  try {
    lock = lockDataDirectory(directory, 'clearing up');
  } catch {
    // Its server runs, or another one is clearing it up.
    return;
  }
  try {
    await removeAbandoned(directory);
  } finally {
    lock.release();
  }
}

/**
 * Removes a data directory that no process of Gantry uses any more, and ends the PostgreSQL that may still run there.
 *
 * @returns whether it is gone; not while its PostgreSQL cannot be ended
 */
export async function removeAbandoned(directory: string): Promise<boolean> {
  if (!(await endOrphans(path.join(directory, 'postgres')))) return false;
  removeSocketDirectory(directory);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  return true;
}
