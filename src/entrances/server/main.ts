import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import type { SshConfig } from '../../platform/config/ssh.ts';
import { sshBase } from '../../platform/config/ssh_address.ts';
import type { Db } from '../../platform/database/db.ts';
import { requireDirectories } from '../../platform/database/directories.ts';
import { lockDataDirectory } from '../../platform/database/lock.ts';
import { banner } from '../../platform/lifecycle/banner.ts';
import { collectWhenQuiet } from '../../platform/lifecycle/collect.ts';
import { type Credentials, credentialsFile, prepareCredentials } from '../../platform/lifecycle/credentials.ts';
import { openDatabase } from '../../platform/lifecycle/database.ts';
import { drain } from '../../platform/lifecycle/drain.ts';
import { markEphemeral, temporaryConfig } from '../../platform/lifecycle/ephemeral.ts';
import { listen, reachable, requireAddress, SSH_SETTINGS } from '../../platform/lifecycle/listen.ts';
import { outageLog } from '../../platform/lifecycle/outages.ts';
import { connectOptions, prepareDatabase } from '../../platform/lifecycle/prepare.ts';
import { readPrivateFile } from '../../platform/lifecycle/private_file.ts';
import { Readiness } from '../../platform/lifecycle/readiness.ts';
import { agreeOnSecret } from '../../platform/lifecycle/secret.ts';
import { awaitStopSignal } from '../../platform/lifecycle/signals.ts';
import { createConsoleLogger } from '../../platform/observability/console_log.ts';
import type { Logger } from '../../platform/observability/log.ts';
import { logSlow } from '../../platform/observability/metrics/slow.ts';
import { reporter } from '../../platform/observability/report.ts';
import { startTracing } from '../../platform/observability/tracing/start.ts';
import { packageVersion } from '../../platform/package_root.ts';
import type { SampleOptions } from '../seed/ephemeral.ts';
import type { Stores as SampleStores } from '../seed/stage.ts';
import type { SshOptions, StartedSsh } from '../ssh/start.ts';
import { isLocal, localOnly, requireLoopback } from '../web/local_only.ts';
import type { ServeOptions } from './serve_options.ts';

/** PostgreSQL need not wait for the disk where data is temporary. */
const SHORT_LIVED = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Milliseconds that running requests have to finish once the server is told to stop, and those of git clients. */
const GRACE = 10_000;
export const GIT_GRACE = 60_000;

/**
 * Runs the server until it is told to stop, then shuts down in reverse order.
 *
 * @returns the exit status: 0 after a signal, 1 if the database became unavailable
 * @throws Error that says what prevented the start, after everything that had been started is stopped again
 */
export async function serve(given: Config, options: ServeOptions): Promise<number> {
  const { ephemeral, seed, exposeKnownTokens, port } = options;
  const sample = seed ? { exposed: exposeKnownTokens } : undefined;
  if (sample && !sample.exposed) requireLoopback(given.host);
  const stopSignal = awaitStopSignal();
  const databaseGone = Promise.withResolvers<string>();
  await using resources = new AsyncDisposableStack();
  const log = await createConsoleLogger(given.logLevel);
  const config = ephemeral ? await temporaryConfig(given, { log, resources, port }) : given;
  resources.defer(await startTracing(process.env));
  logSlow(log, config.slow);

  requireDirectories(config);
  // If a server has run here, one that is still running better explains why a port is in use.
  const isNew = !existsSync(config.dataDir);
  if (isNew) await requireAddresses(config);
  const shared = config.databaseUrl !== undefined;
  const lock = lockDataDirectory(config.dataDir, 'gantry serve', { shared });
  resources.defer(() => lock.release());
  if (!isNew) await requireAddresses(config);
  if (ephemeral) markEphemeral(config.dataDir);
  const state = await start(config, { ephemeral, sample, log, resources, databaseGone: databaseGone.resolve });
  lock.publish({ url: state.url, ...(config.databaseUrl === undefined ? { databaseUrl: state.databaseUrl } : {}) });
  process.stdout.write(state.greeting);

  const reason = await Promise.race([stopSignal.received, databaseGone.promise.then((said) => new Error(said))]);
  if (reason instanceof Error) {
    log.fatal(`PostgreSQL ended: ${reason.message}`);
    return 1;
  }
  log.info(`Stopping after ${reason}`);
  await drain(state.readiness, reason, ephemeral ? 0 : config.drain);
  return 0;
}

/** If the default SSH port is taken, the server runs without SSH. */
async function requireAddresses({ host, port, ssh }: Config): Promise<void> {
  await requireAddress(host, port);
  if (ssh && !ssh.isUsualPort) await requireAddress(ssh.host, ssh.port, SSH_SETTINGS);
}

interface StartContext {
  ephemeral: boolean;
  /** Options for the sample data; undefined without it. */
  sample: SampleOptions | undefined;
  log: Logger;
  resources: AsyncDisposableStack;
  databaseGone(reason: string): void;
}

async function start(
  config: Config,
  context: StartContext,
): Promise<{ databaseUrl: string; url: string; greeting: string; readiness: Readiness }> {
  const { log, resources, ephemeral, sample } = context;
  announceSetup(config);
  // Loading the application takes about as long as starting PostgreSQL, so both happen at once.
  const loading = loadApplication();
  loading.catch(() => undefined);
  const loadingSsh = config.ssh && loadSsh(config.ssh);
  loadingSsh?.catch(() => undefined);
  const loadingSample = sample && loadSample();
  loadingSample?.catch(() => undefined);
  const database = await openDatabase(config, log, context.databaseGone, ephemeral ? SHORT_LIVED : {});
  resources.defer(() => database.stop());
  const application = await loading;
  const sampleOf = await loadingSample;
  const { connect, createApp, bootstrapAdministrator, hasAdministrator } = application;
  const db = connect(database.url, { ...connectOptions(config), outages: outageLog(log) });
  resources.defer(() => db.$disconnect());
  let secret = '';
  let created: Partial<Credentials> | undefined;
  const version = await prepareDatabase(config, database, log, async () => {
    secret = await agreeOnSecret(db, config);
    if (await hasAdministrator(db)) return;
    const { chosen, made } = prepareCredentials(config, sampleOf?.knownAdministrator());
    if (await bootstrapAdministrator(db, secret, chosen)) created = made;
  });

  const { ensureKeys } = await import('../../access/oauth/keys.ts');
  const keysMade = ensureKeys(db, secret);
  keysMade.catch(() => undefined);

  const report = reporter(log, 'background work');
  const bound = Promise.withResolvers<string>();
  const {
    externalUrl,
    trustProxy,
    graphqlLimits,
    trustedDocuments,
    budget,
    metricsAddresses,
    compression,
    liveLimits,
  } = config;
  const baseUrl = async () => externalUrl ?? (await bound.promise);
  let ssh: StartedSsh | null | undefined;
  const { jobs, ...stores } = await application.openServices({
    config,
    db,
    directUrl: database.directUrl,
    secret,
    baseUrl,
    sshAddress: () => (ssh === null ? 'nowhere' : ssh?.address),
    report,
    resources,
  });
  const said = sample && (await sampleOf?.fill({ db, secret, ...stores }, sample));
  await jobs.enqueueAlone('repositories.reconcile', {});

  const readiness = new Readiness(db, config, (problems) => {
    const reasons = problems.map(({ name, reason }) => `${name} (${reason})`);
    if (problems.length === 0) log.warn('The server is ready again');
    else log.error(`The server is not ready: ${reasons.join(', ')}`);
  });
  await keysMade;
  let listeningUrl = '';
  const isGuarded = sample !== undefined && !sample.exposed;
  const upgrades = new application.Upgrades(isGuarded ? isLocal : undefined);
  const stopping = new AbortController();
  const gitConcurrency = application.gitSemaphore(config.gitRequests ? { atOnce: config.gitRequests } : {});
  const app = createApp({
    db,
    secret,
    jobs,
    ...stores,
    externalUrl,
    listeningUrl: () => listeningUrl,
    trustProxy,
    graphqlLimits,
    trustedDocuments,
    budget,
    gitConcurrency,
    sshAddress: () => (ssh === null ? 'nowhere' : (ssh?.address ?? null)),
    metricsAddresses,
    compression,
    log,
    readiness,
    liveLimits,
    upgrades,
    stopping: stopping.signal,
  });
  const { host, port, gitGrace = GIT_GRACE } = config;
  const mayTakeLonger = (target: string) => application.isGitPath(target.split('?', 1)[0] ?? '');
  const listening = await listen(isGuarded ? localOnly(app) : app, { host, port, mayTakeLonger, upgrades });
  resources.defer(collectWhenQuiet(listening.quiet));
  resources.defer(preloadSoon(db));
  listeningUrl = reachable(listening.url);
  bound.resolve(listeningUrl);
  resources.defer(async () => {
    readiness.stop();
    stopping.abort();
    await Promise.all([listening.close({ long: gitGrace, others: GRACE }), ssh?.close(gitGrace)]);
  });

  ssh = await (await loadingSsh)?.({ stores: { db, secret, jobs, ...stores }, gitConcurrency, baseUrl, log, report });
  const file = credentialsFile(config.dataDir);
  const greeting = banner({
    version: packageVersion(),
    url: externalUrl ?? listening.url,
    apiUrl: `${listeningUrl}/api/v4`,
    ssh: ssh
      ? sshBase(externalUrl ?? listeningUrl, ssh.address)
      : ssh === null
        ? `not available: port ${config.ssh?.port} is in use by another program (GANTRY_SSH_PORT)`
        : undefined,
    dataDir: config.dataDir,
    database:
      config.databaseUrl === undefined ? `embedded PostgreSQL ${version}` : `PostgreSQL ${version} of DATABASE_URL`,
    credentials: created,
    credentialsFile: readPrivateFile(file) === undefined ? undefined : file,
    ephemeral,
    sample: said,
  });
  return { databaseUrl: database.url, url: externalUrl ?? reachable(listening.url), greeting, readiness };
}

/** Milliseconds after which the server loads what starting did not need, so that pending requests come first. */
const PRELOAD = 300;

/** Loads slow modules before the first request needs them: Prisma's compiler, and GraphQL. Returns a function that cancels it. */
function preloadSoon(db: Db): () => void {
  const timer = setTimeout(() => {
    // A failure shows up again in the first request that needs them.
    db.$connect().catch(() => undefined);
    import('#schema/server.ts').catch(() => undefined);
  }, PRELOAD);
  timer.unref();
  return () => clearTimeout(timer);
}

/** The first start takes some seconds, which is announced on a terminal. */
function announceSetup({ dataDir, databaseUrl }: Config): void {
  const isNew = databaseUrl === undefined && !existsSync(path.join(dataDir, 'postgres'));
  if (isNew && process.stderr.isTTY) process.stderr.write(`Setting up a new database in ${dataDir} …\n`);
}

/** The host keys are made during the rest of the setup. */
async function loadSsh(config: SshConfig) {
  const [{ startSsh }, { hostKeys }] = await Promise.all([import('../ssh/start.ts'), import('../ssh/host_keys.ts')]);
  const keys = hostKeys(config.keys);
  keys.catch(() => undefined);
  return (options: Omit<SshOptions, 'hostKeys'>) => startSsh(config, { ...options, hostKeys: keys });
}

async function loadSample() {
  const [{ fill, knownAdministrator }, { jobHandlers }] = await Promise.all([
    import('../seed/ephemeral.ts'),
    import('./background_jobs.ts'),
  ]);
  return {
    knownAdministrator,
    fill: (stores: Omit<SampleStores, 'handlers'>, options: SampleOptions) =>
      fill({ ...stores, handlers: jobHandlers(stores) }, options),
  };
}

async function loadApplication() {
  const [db, app, bootstrap, services, remote, upgrades, gitConcurrency] = await Promise.all([
    import('../../platform/database/db.ts'),
    import('./app.ts'),
    import('../../domain/users/bootstrap.ts'),
    import('./services.ts'),
    import('../web/git_remote.ts'),
    import('../web/upgrades.ts'),
    import('../../domain/repository/remote/git_concurrency.ts'),
  ]);
  return { ...db, ...app, ...bootstrap, ...services, ...upgrades, ...gitConcurrency, isGitPath: remote.isGitPath };
}
