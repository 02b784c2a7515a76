import type { Config } from './config.ts';
import { readHolder } from './database/lock.ts';
import { migrate } from './database/migrate.ts';
import { requireSupportedVersion } from './lifecycle/database.ts';
import { loadSecret } from './lifecycle/secret.ts';
import { awaitStopSignal } from './lifecycle/signals.ts';
import { createLogger } from './log.ts';
import { logSlow } from './metrics/slow.ts';
import { startTracing } from './tracing/start.ts';

export interface WorkOptions {
  /** What the metrics show of this process. */
  labels: readonly string[];
}

/**
 * Works on background jobs beside the server, on its machine or another one with the same files, until it is told to stop.
 *
 * @returns the exit status
 * @throws Error if there is no database to find the jobs in, or if a queue is named that there is not
 */
export async function work(config: Config, { labels }: WorkOptions): Promise<number> {
  const stopSignal = awaitStopSignal();
  await using resources = new AsyncDisposableStack();
  const log = createLogger(config.logLevel);
  resources.defer(await startTracing(process.env));
  logSlow(log, config.slow);
  const databaseUrl = config.databaseUrl ?? readHolder(config.dataDir)?.databaseUrl;
  if (databaseUrl === undefined) {
    throw new Error(
      `There is no server on ${config.dataDir} whose jobs could be worked on. Start one, or set DATABASE_URL.`,
    );
  }
  await requireSupportedVersion(databaseUrl);
  await migrate(databaseUrl, log);
  const [{ connect }, { openWorkshop }] = await Promise.all([import('./db.ts'), import('./lifecycle/workshop.ts')]);
  const db = connect(databaseUrl);
  resources.defer(() => db.$disconnect());
  await openWorkshop({
    config,
    db,
    databaseUrl,
    secret: loadSecret(config),
    baseUrl: async () => config.externalUrl ?? readHolder(config.dataDir)?.url ?? missingUrl(),
    report: (err) => log.error({ err }, 'background work'),
    resources,
    labels,
  });
  if (config.metricsPort !== undefined) {
    const { listenForMetrics } = await import('./web/metrics.ts');
    const listening = await listenForMetrics({ db, config, port: config.metricsPort });
    resources.defer(() => listening.close(1_000));
    log.info(`Metrics at ${listening.url}/-/metrics`);
  }
  process.stdout.write('Gantry works on background jobs. Stop with Ctrl+C.\n');
  log.info(`Stopping after ${await stopSignal.received}`);
  return 0;
}

function missingUrl(): never {
  throw new Error('GANTRY_URL is not set: nobody could follow the links of mail');
}
