import path from 'node:path';
import type { Config } from '#src/platform/config/config.ts';
import { clusterVersion } from '#src/platform/database/cluster.ts';
import { look } from '#src/platform/database/look.ts';
import { reasonOf } from '#src/platform/database/reason.ts';
import { type Check, type Checked, fail, runChecks } from './check.ts';
import { checkClock, checkDatabase, checkMigrations } from './database.ts';
import { checkData, checkStorages, checkUploads } from './files.ts';
import { checkExternalUrl, checkGit, checkMail, checkMailIn, checkSecret, checkServer } from './program.ts';
import { checkQueue } from './queue.ts';

/**
 * Checks everything that the server needs.
 *
 * @param given URL of the database, or why there is none
 */
export async function examine(config: Config, given: string | Error): Promise<Checked[]> {
  const database = typeof given === 'string' ? await probe(given) : given;
  const url = typeof database === 'string' ? database : null;
  /** Adds a check that needs a database. */
  const onDatabase = (name: string, run: (url: string) => Promise<Awaited<ReturnType<Check['run']>>>): Check => ({
    name,
    run: async () => (url === null ? fail('the database cannot be asked') : run(url)),
  });
  const reachable: Check = {
    name: 'database',
    run: async () =>
      typeof database === 'string' ? checkDatabase(database) : fail(reasonOf(database), adviceOn(config)),
  };
  return runChecks([
    reachable,
    onDatabase('migrations', checkMigrations),
    { name: 'secret', run: () => checkSecret(config, url) },
    { name: 'git', run: checkGit },
    { name: 'data', run: () => checkData(config, url) },
    { name: 'storages', run: () => checkStorages(config, url) },
    { name: 'uploads', run: () => checkUploads(config, url) },
    onDatabase('clock', checkClock),
    onDatabase('queue', checkQueue),
    { name: 'mail', run: () => checkMail(config) },
    { name: 'mail in', run: () => checkMailIn(config) },
    { name: 'server', run: () => checkServer(config) },
    { name: 'url', run: () => checkExternalUrl(config) },
  ]);
}

/** The URL, or why it cannot be connected to: the other checks then run without the database. */
async function probe(url: string): Promise<string | Error> {
  try {
    await look(url, (query) => query('SELECT 1'));
    return url;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function adviceOn({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined) return 'Correct DATABASE_URL, or start its PostgreSQL.';
  if (clusterVersion(path.join(dataDir, 'postgres')) === undefined) return 'Correct GANTRY_DATA, or start the server.';
  return `Look at the space on the disk and at the owner of ${dataDir}.`;
}
