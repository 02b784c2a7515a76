import path from 'node:path';
import { ensureKeys } from '#src/access/oauth/keys.ts';
import { bootstrapAdministrator } from '#src/domain/users/bootstrap.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { openServices } from '#src/entrances/server/services.ts';
import { hostKeys } from '#src/entrances/ssh/host_keys.ts';
import { type Config, loadConfig } from '#src/platform/config/config.ts';
import { connect } from '#src/platform/database/db.ts';
import { prepareCredentials } from '#src/platform/lifecycle/credentials.ts';
import { openDatabase } from '#src/platform/lifecycle/database.ts';
import { prepareDatabase, SHORT_LIVED } from '#src/platform/lifecycle/prepare.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { reporter } from '#src/platform/observability/report.ts';
import { newToken } from '#src/platform/secrets.ts';

export interface SetUpOptions {
  /** Whether to write the sample data; else there is nobody yet, and no secret. */
  seeded: boolean;
  /** What the administrator and the secret of the sample data are made of, besides the known tokens. */
  given: Pick<Config, 'secret' | 'rootPassword' | 'rootToken'>;
  log: Logger;
}

/**
 * Makes a data directory as ephemeral servers begin with it: a database with all tables and queues, host keys, and the sample
 * data if wanted. PostgreSQL has ended when it returns.
 *
 * @param dataDir absolute path of a directory that nobody else uses
 */
export async function setUp(dataDir: string, { seeded, given, log }: SetUpOptions): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const storages = { default: path.join(dataDir, 'default') };
  const config: Config = { ...loadConfig({ GANTRY_DATA: dataDir }, dataDir), ...given, storages };
  const keys = hostKeys(path.join(dataDir, 'ssh'));
  keys.catch(() => undefined);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const gone = (reason: string) => failed.reject(new Error(`PostgreSQL ended: ${reason}`));
  const database = await openDatabase(config, log, gone, SHORT_LIVED);
  resources.defer(() => database.stop());
  const db = connect(database.url);
  resources.defer(() => db.$disconnect());
  let secret = newToken();
  const sample = seeded ? await import('../seed/ephemeral.ts') : null;
  await prepareDatabase(config, database, log, async () => {
    if (!sample) return;
    secret = await agreeOnSecret(db, config);
    await bootstrapAdministrator(db, secret, prepareCredentials(config, sample.knownAdministrator()).chosen);
    await ensureKeys(db, secret);
  });
  const { jobs: _, ...stores } = await openServices({
    config: { ...config, queues: [] },
    db,
    directUrl: database.directUrl,
    secret,
    baseUrl: async () => 'http://127.0.0.1',
    report: reporter(log, 'background work'),
    resources,
  });
  const filling = sample?.fill({ db, secret, ...stores, handlers: jobHandlers({ db, secret, ...stores }) });
  await Promise.race([filling, failed.promise]);
  await keys;
}
