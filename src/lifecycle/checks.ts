import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Db } from '../db.ts';

/** Where a server keeps what is not in the database. */
export interface Places {
  dataDir: string;
  /** Directory of each storage by its name. */
  storages: Readonly<Record<string, string>>;
  /** Bytes that have to be free in each of them; a default when absent. */
  minFreeBytes?: number | undefined;
}

/** What keeps a server from its work: in a word or two for monitors, and in a sentence for people. */
export interface Problem {
  name: string;
  reason: string;
}

/** Room for what is under way and for a few minutes of logs: below, writes begin to fail one by one. */
const MIN_FREE_BYTES = 100 * 1024 * 1024;

/** Milliseconds that each check may take. */
const DEADLINE = 1_000;

/** Everything that a server needs, looked at once: the problems, none when it can do its work. */
export async function findProblems(db: Db, places: Places | undefined): Promise<Problem[]> {
  const storages = Object.entries(places?.storages ?? {});
  const found = await Promise.all([
    inTime('database', () => checkDatabase(db)),
    ...(places ? [inTime('disk', () => checkDisk(places))] : []),
    ...storages.map(([name, directory]) => inTime(`storage ${name}`, () => checkStorage(directory))),
  ]);
  return found.filter((problem) => problem !== null);
}

/** Why the database cannot be used; null when it can. */
export async function checkDatabase(db: Db): Promise<string | null> {
  return db.$queryRaw`select 1`.then(
    () => null,
    (error: Error) => error.message,
  );
}

/** Where too little is free; null when nowhere. */
export async function checkDisk({ dataDir, storages, minFreeBytes = MIN_FREE_BYTES }: Places): Promise<string | null> {
  for (const directory of new Set([dataDir, ...Object.values(storages)])) {
    const free = await freeBytes(directory);
    if (free < minFreeBytes) return `${Math.floor(free / 1024 / 1024)} MiB are free in ${directory}`;
  }
  return null;
}

/** Why a storage cannot be written to; null when it can. */
export async function checkStorage(directory: string): Promise<string | null> {
  const found = await stat(directory).catch((error: Error) => error);
  if (found instanceof Error) return `${directory} is not there: ${found.message}`;
  if (!found.isDirectory()) return `${directory} is no directory`;
  return access(directory, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => null,
    (error: Error) => `${directory} cannot be written to: ${error.message}`,
  );
}

/** Bytes that are free for this account where a directory is, or will be. */
export async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    return freeBytes(parent);
  }
}

async function inTime(name: string, check: () => Promise<string | null>): Promise<Problem | null> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, DEADLINE, `no answer within ${DEADLINE} ms`);
  const reason = await Promise.race([check().catch((error: Error) => error.message), late]);
  clearTimeout(timer);
  return reason === null ? null : { name, reason };
}
