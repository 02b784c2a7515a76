import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

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
export const MIN_FREE_BYTES = 100 * 1024 * 1024;

/** Milliseconds that each check may take. */
const DEADLINE = 1_000;

/** The checks that go on, by their names. */
export type Running = Map<string, Promise<string | null>>;

/**
 * Everything that a server needs, looked at once: the problems, none when it can do its work.
 *
 * @param running earlier checks that have not ended; they are not started a second time
 */
export async function findProblems(
  db: Db,
  places: Places | undefined,
  running: Running = new Map(),
): Promise<Problem[]> {
  const inTime = (name: string, check: () => Promise<string | null>) => atMost(running, name, check);
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
  return queryRows(db, Prisma.sql`SELECT 1 AS one`).then(
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
  if (!found.isDirectory()) return `${directory} is not a directory`;
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

/** A file system that does not answer keeps a thread for each question: it is asked once until it does. */
async function atMost(running: Running, name: string, check: () => Promise<string | null>): Promise<Problem | null> {
  const begun =
    running.get(name) ??
    check()
      .catch((error: Error) => error.message)
      .finally(() => running.delete(name));
  running.set(name, begun);
  const { promise: late, resolve } = Promise.withResolvers<string>();
  // Where this process itself was late, an answer that has come counts.
  const timer = setTimeout(() => setImmediate(resolve, `no answer within ${DEADLINE} ms`), DEADLINE);
  const reason = await Promise.race([begun, late]);
  clearTimeout(timer);
  return reason === null ? null : { name, reason };
}
