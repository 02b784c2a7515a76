import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from './config.ts';
import { lockDataDirectory } from './database/lock.ts';
import { migrate } from './database/migrate.ts';
import { banner } from './lifecycle/banner.ts';
import { type Credentials, credentialsFile, prepareCredentials } from './lifecycle/credentials.ts';
import { openDatabase, requireSupportedVersion } from './lifecycle/database.ts';
import { listen, reachable } from './lifecycle/listen.ts';
import { readPrivateFile } from './lifecycle/private-file.ts';
import { loadSecret } from './lifecycle/secret.ts';
import { awaitStopSignal } from './lifecycle/signals.ts';
import { createLogger, type Logger } from './log.ts';
import { logSlow } from './metrics/slow.ts';
import { packageVersion } from './package-root.ts';
import { startTracing } from './tracing/start.ts';

export interface ServeOptions {
  /** A data directory for this run only, its own PostgreSQL whatever DATABASE_URL says, and a free port. */
  ephemeral: boolean;
}

/** Milliseconds that running requests have to finish once the server is told to stop. */
const grace = 10_000;

/**
 * Runs the server until it is told to stop, and takes everything down in reverse order then.
 *
 * @returns the exit status: 0 after a signal, 1 if the database went away
 * @throws Error that tells what prevented the start, after everything that had been started is stopped again
 */
export async function serve(given: Config, { ephemeral }: ServeOptions): Promise<number> {
  const stopSignal = awaitStopSignal();
  const databaseGone = Promise.withResolvers<string>();
  await using resources = new AsyncDisposableStack();
  const config = ephemeral ? temporary(given, resources) : given;
  const log = createLogger(config.logLevel);
  resources.defer(await startTracing(process.env));
  logSlow(log, config.slow);

  const lock = lockDataDirectory(config.dataDir, 'gantry serve');
  resources.defer(() => lock.release());
  const state = await start(config, { ephemeral, log, resources, databaseGone: databaseGone.resolve });
  lock.publish({ url: state.url, ...(config.databaseUrl === undefined ? { databaseUrl: state.databaseUrl } : {}) });
  process.stdout.write(state.greeting);

  const reason = await Promise.race([stopSignal.received, databaseGone.promise.then((said) => new Error(said))]);
  if (reason instanceof Error) {
    log.fatal(`PostgreSQL ended: ${reason.message}`);
    return 1;
  }
  log.info(`Stopping after ${reason}`);
  return 0;
}

interface StartContext {
  ephemeral: boolean;
  log: Logger;
  resources: AsyncDisposableStack;
  databaseGone(reason: string): void;
}

async function start(
  config: Config,
  context: StartContext,
): Promise<{ databaseUrl: string; url: string; greeting: string }> {
  const { log, resources, ephemeral } = context;
  const secret = loadSecret(config);
  // Loading the application takes about as long as starting PostgreSQL; the two run side by side.
  const loading = loadApplication();
  loading.catch(() => undefined);
  const database = await openDatabase(config, log, context.databaseGone);
  resources.defer(() => database.stop());
  const version = await requireSupportedVersion(database.url);
  await migrate(database.url, log);

  const application = await loading;
  const { connect, createApp, bootstrapAdministrator, hasAdministrator } = application;
  const db = connect(database.url);
  resources.defer(() => db.$disconnect());
  let created: Partial<Credentials> | undefined;
  if (!(await hasAdministrator(db))) {
    const { chosen, made } = prepareCredentials(config);
    if (await bootstrapAdministrator(db, secret, chosen)) created = made;
  }

  const { ensureKeys } = await import('./oauth/keys.ts');
  const keysMade = ensureKeys(db, secret);
  keysMade.catch(() => undefined);

  const report = (err: unknown) => log.error({ err }, 'background work');
  const bound = Promise.withResolvers<string>();
  const { externalUrl, trustProxy, graphqlLimits, budget, gitRequests, metricsAddresses } = config;
  const { jobs, ...stores } = await application.openWorkshop({
    config,
    db,
    databaseUrl: database.url,
    secret,
    baseUrl: async () => externalUrl ?? (await bound.promise),
    report,
    resources,
  });
  await db.$transaction((tx) => jobs.enqueue(tx, 'repositories.reconcile', {}));

  let stopping = false;
  await keysMade;
  let listeningUrl = '';
  const app = createApp({
    db,
    secret,
    jobs,
    ...stores,
    externalUrl,
    listeningUrl: () => listeningUrl,
    trustProxy,
    graphqlLimits,
    budget,
    gitRequests,
    metricsAddresses,
    log,
    isShuttingDown: () => stopping,
  });
  const listening = await listen(app, config.host, config.port);
  listeningUrl = reachable(listening.url);
  bound.resolve(listeningUrl);
  resources.defer(async () => {
    stopping = true;
    await listening.close(grace);
  });

  const file = credentialsFile(config.dataDir);
  const greeting = banner({
    version: packageVersion(),
    url: externalUrl ?? listening.url,
    dataDir: config.dataDir,
    database:
      config.databaseUrl === undefined ? `embedded PostgreSQL ${version}` : `PostgreSQL ${version} of DATABASE_URL`,
    credentials: created,
    credentialsFile: readPrivateFile(file) === undefined ? undefined : file,
    ephemeral,
  });
  return { databaseUrl: database.url, url: externalUrl ?? reachable(listening.url), greeting };
}

async function loadApplication() {
  const [db, app, bootstrap, workshop] = await Promise.all([
    import('./db.ts'),
    import('./app.ts'),
    import('./users/bootstrap.ts'),
    import('./lifecycle/workshop.ts'),
  ]);
  return { ...db, ...app, ...bootstrap, ...workshop };
}

function temporary(config: Config, resources: AsyncDisposableStack): Config {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  // At exit as well: a second signal, or an error that nobody caught, skips the orderly way.
  process.once('exit', remove);
  resources.defer(remove);
  const storages = Object.fromEntries(Object.keys(config.storages).map((name) => [name, path.join(dataDir, name)]));
  return { ...config, dataDir, storages, databaseUrl: undefined, externalUrl: undefined, port: 0 };
}
