import type { Config } from '#src/platform/config/config.ts';
import type { ConnectOptions } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { prepareRole, requireSession } from '#src/platform/database/session.ts';
import { takeTurns } from '#src/platform/database/take_turns.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { type DatabaseUrls, requireSupportedVersion } from './database.ts';

/** PostgreSQL need not wait for the disk where data is temporary. */
export const SHORT_LIVED = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Brings the database up to date before a process works with it. Of several processes that start at once one does it, and
 * the others wait.
 *
 * @param first what else has to be there, done in the same turn
 * @returns the version of PostgreSQL, e.g. `18.4`
 * @throws Error that says why the database cannot be used
 */
export async function prepareDatabase(
  config: Pick<Config, 'databaseDirectUrl'>,
  { url, directUrl }: DatabaseUrls,
  log: Logger,
  first: () => Promise<void> = async () => undefined,
): Promise<string> {
  const version = await requireSupportedVersion(directUrl);
  await takeTurns(directUrl, log, async () => {
    await migrate(directUrl, log);
    if (config.databaseDirectUrl !== undefined) {
      await prepareRole(directUrl);
      await requireSession(url);
    }
    await first();
  });
  return version;
}

/** How to connect by the settings. */
export function connectOptions({
  databaseDirectUrl,
  preparedStatements,
}: Pick<Config, 'databaseDirectUrl' | 'preparedStatements'>): ConnectOptions {
  return { pooled: databaseDirectUrl !== undefined, preparedStatements };
}
