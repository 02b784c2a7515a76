import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { formatBytes } from '#src/base/text.ts';
import type { Config } from '#src/platform/config/config.ts';

/** What a new cluster of PostgreSQL takes with its write-ahead log, and some room for the first hour. */
const NEW_DATABASE_BYTES = 128 * 1024 * 1024;

/**
 * Looks at the directories of the settings before anything is set up, and makes none. A server that has run starts also when a
 * storage is away: its readiness tells of it.
 *
 * @param newDatabaseBytes what has to be free where there is no database yet
 * @throws Error that names the setting of a directory that cannot be used
 */
export function requireDirectories(
  config: Pick<Config, 'dataDir' | 'storages' | 'uploads' | 'databaseUrl'>,
  newDatabaseBytes = NEW_DATABASE_BYTES,
): void {
  const { dataDir, storages, uploads, databaseUrl } = config;
  requireUsable(dataDir, 'GANTRY_DATA');
  if (databaseUrl !== undefined || isThere(path.join(dataDir, 'postgres'))) return;
  requireRoom(dataDir, newDatabaseBytes);
  const isOwn = (directory: string) => !directory.startsWith(dataDir + path.sep);
  for (const storage of Object.values(storages).filter(isOwn)) requireUsable(storage, 'GANTRY_STORAGES');
  if ('directory' in uploads && isOwn(uploads.directory)) requireUsable(uploads.directory, 'GANTRY_UPLOADS');
}

/**
 * Creates the data directory and its parents if they are missing. Throws Error that names the setting if it cannot be used.
 *
 * Node's own recursive call never returns on file systems that refuse new directories with ENOENT, such as /proc.
 */
export function makeDataDirectory(dataDir: string): void {
  requireUsable(dataDir, 'GANTRY_DATA');
  for (const missing of missingOf(dataDir)) {
    try {
      mkdirSync(missing, { mode: 0o700 });
    } catch (error) {
      // Another process may have been faster. If it is not a directory, the next one or the lock fails.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw explain(error, dataDir, 'GANTRY_DATA');
    }
  }
}

function requireUsable(directory: string, setting: string): void {
  try {
    const nearest = nearestExisting(directory);
    if (!statSync(nearest).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
    tryOut(nearest);
  } catch (error) {
    throw explain(error, directory, setting);
  }
}

/** Permissions mean nothing to root, and nothing on file systems that hold no files of others, such as /proc. */
function tryOut(directory: string): void {
  const file = path.join(directory, `.gantry-${randomUUID()}`);
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    rmSync(file, { force: true });
  } catch (error) {
    // A full disk does not keep a server from its start: readiness tells of it.
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function requireRoom(dataDir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(nearestExisting(dataDir));
  if (bavail * bsize >= bytes) return;
  const [free, needed] = [formatBytes(bavail * bsize), formatBytes(bytes)];
  throw new Error(
    `The directory ${dataDir} cannot be used: ${free} are free there, and a new database needs ${needed}. ` +
      'Make room, or set GANTRY_DATA to another directory.',
  );
}

/** The directory itself if it is there, else the nearest one above it. */
function nearestExisting(directory: string): string {
  const [uppermost] = missingOf(directory);
  return uppermost === undefined ? directory : path.dirname(uppermost);
}

/** The directories that have to be made for this one to be there, the uppermost first. */
function missingOf(directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; !isThere(at); at = path.dirname(at)) missing.unshift(at);
  return missing;
}

function isThere(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false }) !== undefined;
}

function explain(error: unknown, directory: string, setting: string): Error {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOTDIR: 'it is a file, or below one',
    ENOENT: 'no files can be made there',
    EACCES: 'this account may not write there',
    EPERM: 'this account may not write there',
    EROFS: 'the file system is read-only',
  };
  const reason = reasons[code ?? ''] ?? (errno === undefined ? message : getSystemErrorMessage(errno));
  return new Error(`The directory ${directory} cannot be used: ${reason}. Set ${setting} to another directory.`, {
    cause: error,
  });
}
