import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#src/platform/config/config.ts';
import { openClient } from '#src/platform/database/client.ts';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import type { DatabaseLog, EmbeddedPostgres } from '#src/platform/database/embedded_options.ts';
import { type DataLock, LockedError, lockDataDirectory, readHolder } from '#src/platform/database/lock.ts';
import { reasonOf } from '#src/platform/database/reason.ts';
import { requireNoPartialRestore } from './unfinished.ts';

/** The oldest PostgreSQL that the server works with. */
export const OLDEST_POSTGRES = 15;

/** Milliseconds that a command waits for a server that is just starting, or for another command to end. */
const patience = 15_000;

/** The addresses of a database. */
export interface DatabaseUrls {
  /** Where statements and transactions go, perhaps through a pooler. */
  url: string;
  /** Where sessions of one's own are, for what outlives a transaction: notifications, the job queue, migrations. */
  directUrl: string;
}

/**
 * The database for the server: the one of `DATABASE_URL`, or the embedded one, started here.
 *
 * @param settings of the embedded one, e.g. `{fsync: 'off'}`
 * @throws Error if it cannot be reached or started
 */
export async function openDatabase(
  config: Config,
  log: DatabaseLog,
  onExit: (reason: string) => void,
  settings: Record<string, string> = {},
): Promise<DatabaseUrls & Pick<EmbeddedPostgres, 'stop'>> {
  requireNoPartialRestore(config.dataDir);
  const given = databaseUrls(config);
  if (given) return { ...given, stop: async () => undefined };
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onExit, settings });
  return { ...embedded, directUrl: embedded.url };
}

/** The addresses that the settings give; null where the embedded database is used. */
export function databaseUrls({
  databaseUrl: url,
  databaseDirectUrl = url,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>): DatabaseUrls | null {
  return url === undefined || databaseDirectUrl === undefined ? null : { url, directUrl: databaseDirectUrl };
}

/**
 * Runs a command's work on the server's database, whether the server runs or not: then the embedded PostgreSQL is started
 * for the time of the work.
 *
 * @param command name for the message that others get meanwhile
 * @throws LockedError if something else than a server keeps the data directory for long
 */
export async function withDatabase<Result>(
  config: Config,
  log: DatabaseLog,
  command: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  requireNoPartialRestore(config.dataDir);
  const given = databaseUrls(config);
  if (given) return work(given.directUrl);
  const access = await lockOrFind(config.dataDir, command);
  if (typeof access === 'string') return work(access);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    access.release();
  }
}

/**
 * The version of the server behind a URL, e.g. `18.4`.
 *
 * @throws Error if it cannot be reached or is too old
 */
export async function requireSupportedVersion(url: string): Promise<string> {
  const client = await openClient({ connectionString: url, connectionTimeoutMillis: 30_000 }).catch(
    (error: unknown) => {
      throw new Error(`The database of DATABASE_URL cannot be used: ${reasonOf(error)}`, { cause: error });
    },
  );
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    const version = rows[0]?.server_version.split(' ')[0] ?? '0';
    if (Number.parseInt(version, 10) >= OLDEST_POSTGRES) return version;
    throw new Error(`Gantry needs PostgreSQL ${OLDEST_POSTGRES} or later; the server of DATABASE_URL is ${version}.`);
  } finally {
    await client.end();
  }
}

/** The lock if it is free, or else the URL of the running server's database. */
async function lockOrFind(dataDir: string, command: string): Promise<DataLock | string> {
  const begun = performance.now();
  for (;;) {
    try {
      return lockDataDirectory(dataDir, command);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      const url = readHolder(dataDir)?.databaseUrl;
      if (url !== undefined) return url;
      if (performance.now() - begun > patience) throw error;
      await sleep(50);
    }
  }
}
