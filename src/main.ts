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
import { packageVersion } from './package-root.ts';

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
  const { startJobs, jobHandlers, watchSettings, RepositoryStore, requireStorages, importSettings, UploadStore } =
    application;
  const db = connect(database.url);
  resources.defer(() => db.$disconnect());
  let created: Credentials | undefined;
  if (!(await hasAdministrator(db))) {
    const credentials = prepareCredentials(config);
    if (await bootstrapAdministrator(db, secret, credentials)) created = credentials;
  }

  const { ensureKeys } = await import('./oauth/keys.ts');
  const keysMade = ensureKeys(db, secret);
  keysMade.catch(() => undefined);

  const { maxInlineBytes } = config;
  const repositories = new RepositoryStore(config.storages, { maxInlineBytes });
  await requireStorages(db, repositories);
  resources.defer(() => repositories.close());
  const uploads = new UploadStore(path.join(config.dataDir, 'uploads'));
  const report = (err: unknown) => log.error({ err }, 'background work');
  const stopWatching = await watchSettings(db, database.url, report);
  resources.defer(stopWatching);
  const imports = importSettings({ hosts: config.importHosts, maxBytes: config.importMaxBytes });
  const stopped = new AbortController();
  const bound = Promise.withResolvers<string>();
  const { externalUrl, trustProxy, graphqlLimits, mail } = config;
  if (mail) application.startSending(db);
  const baseUrl = async () => externalUrl ?? (await bound.promise);
  const outgoing = mail && { mailer: (await import('./mail/mailer.ts')).createMailer(mail), baseUrl };
  const handlers = jobHandlers({ db, repositories, uploads, secret, imports, outgoing, stopping: stopped.signal });
  const jobs = await startJobs({ url: database.url, handlers, report, db });
  resources.defer(async () => {
    stopped.abort();
    await jobs.stop();
  });
  await db.$transaction((tx) => jobs.enqueue(tx, 'repositories.reconcile', {}));

  let stopping = false;
  await keysMade;
  let listeningUrl = '';
  const app = createApp({
    db,
    secret,
    jobs,
    repositories,
    uploads,
    imports,
    externalUrl,
    listeningUrl: () => listeningUrl,
    trustProxy,
    graphqlLimits,
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
  const [db, app, bootstrap, queue, handlers, watch, store, storages, imports, uploads, sending] = await Promise.all([
    import('./db.ts'),
    import('./app.ts'),
    import('./users/bootstrap.ts'),
    import('./jobs/queue.ts'),
    import('./jobs/handlers.ts'),
    import('./settings/watch.ts'),
    import('./repository/store.ts'),
    import('./repository/storages.ts'),
    import('./imports/options.ts'),
    import('./uploads/store.ts'),
    import('./mail/sending.ts'),
  ]);
  return {
    ...db,
    ...app,
    ...bootstrap,
    ...queue,
    ...handlers,
    ...watch,
    ...store,
    ...storages,
    ...imports,
    ...uploads,
    ...sending,
  };
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
