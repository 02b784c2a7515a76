import { removeLeftDirectories } from '../../base/work_directory.ts';
import { startSpawner } from '../../git/program/spawner.ts';
import type { Config } from '../../platform/config/config.ts';
import { readHolder } from '../../platform/database/lock.ts';
import { databaseUrls } from '../../platform/lifecycle/database.ts';
import { outageLog } from '../../platform/lifecycle/outages.ts';
import { connectOptions, prepareDatabase } from '../../platform/lifecycle/prepare.ts';
import { agreeOnSecret } from '../../platform/lifecycle/secret.ts';
import { awaitStopSignal } from '../../platform/lifecycle/signals.ts';
import { requireNoPartialRestore } from '../../platform/lifecycle/unfinished.ts';
import { createConsoleLogger } from '../../platform/observability/console_log.ts';
import { logSlow } from '../../platform/observability/metrics/slow.ts';
import { reporter } from '../../platform/observability/report.ts';
import { startTracing } from '../../platform/observability/tracing/start.ts';
import { packagePath } from '../../platform/package_root.ts';

export interface WorkOptions {
  /** Names of the queues to work on. */
  labels: readonly string[];
}

/**
 * Works on background jobs besides the server, on its machine or another one with the same files, until it is told to stop.
 *
 * @returns the exit status
 * @throws Error if there is no database with jobs, or a queue does not exist
 */
export async function work(config: Config, { labels }: WorkOptions): Promise<number> {
  const stopSignal = awaitStopSignal();
  await using resources = new AsyncDisposableStack();
  const log = await createConsoleLogger(config.logLevel);
  resources.defer(await startTracing(process.env));
  void removeLeftDirectories();
  // Nothing waits for it: until it is there, this process starts programs itself.
  const spawner = startSpawner(packagePath('bin/spawner.js'));
  resources.defer(async () => (await spawner)());
  logSlow(log, config.slow);
  requireNoPartialRestore(config.dataDir);
  const embedded = readHolder(config.dataDir)?.databaseUrl;
  const database = databaseUrls(config) ?? (embedded === undefined ? null : { url: embedded, directUrl: embedded });
  if (database === null) {
    throw new Error(
      `There is no server on ${config.dataDir} whose jobs could be worked on. Start one, or set DATABASE_URL.`,
    );
  }
  const [{ connect }, { openServices }] = await Promise.all([
    import('../../platform/database/db.ts'),
    import('./services.ts'),
  ]);
  const db = connect(database.url, { ...connectOptions(config), outages: outageLog(log) });
  resources.defer(() => db.$disconnect());
  const report = reporter(log, 'background work');
  let secret = '';
  await prepareDatabase(config, database, log, async () => {
    secret = await agreeOnSecret(db, config);
  });
  await openServices({
    config,
    db,
    directUrl: database.directUrl,
    secret,
    baseUrl: async () => config.externalUrl ?? readHolder(config.dataDir)?.url ?? missingUrl(),
    report,
    resources,
    labels,
  });
  if (config.metricsPort !== undefined) {
    const { listenForMetrics } = await import('../web/metrics.ts');
    const listening = await listenForMetrics({ db, config, port: config.metricsPort, report });
    resources.defer(() => listening.close({ long: 0, others: 1_000 }));
    log.info(`Metrics at ${listening.url}/-/metrics`);
  }
  process.stdout.write('Gantry is working on background jobs. Stop it with Ctrl+C.\n');
  log.info(`Stopping after ${await stopSignal.received}`);
  return 0;
}

function missingUrl(): never {
  throw new Error('GANTRY_URL is not set: links in mail would not work');
}
