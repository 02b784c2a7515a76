import type { Config } from '#src/platform/config/config.ts';
import { noteCopy } from '#src/platform/database/copies.ts';
import { connect, type Db } from '#src/platform/database/db.ts';
import { ReadReplica } from '#src/platform/database/replica.ts';
import { connectOptions } from '#src/platform/lifecycle/prepare.ts';
import type { Logger } from '#src/platform/observability/log.ts';

/** Opens the copy of the database that `DATABASE_READ_URL` names, lazily. The caller closes it. */
export function openReplica(config: Config, primary: Db, log: Logger): ReadReplica {
  const db = connect(config.databaseReadUrl ?? '', connectOptions(config));
  noteCopy(db, primary);
  return new ReadReplica(db, primary, {
    used: () => log.info('Reads go to the read replica'),
    unused: (reason) => log.warn(`Reads do not go to the read replica: ${reason}`),
  });
}
