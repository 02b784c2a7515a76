import { existsSync } from 'node:fs';
import path from 'node:path';
import { removeLeftDirectories } from '../../base/work_directory.ts';
import { startSpawner } from '../../git/program/spawner.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SshConfig } from '../../platform/config/ssh.ts';
import { sshBase } from '../../platform/config/ssh_address.ts';
import { present } from '../../platform/config/values.ts';
import type { Db } from '../../platform/database/db.ts';
import { requireDirectories } from '../../platform/database/directories.ts';
import { lockDataDirectory } from '../../platform/database/lock.ts';
import { banner } from '../../platform/lifecycle/banner.ts';
import { collectWhenQuiet } from '../../platform/lifecycle/collect.ts';
import {
  type Credentials,
  credentialsFile,
  keptCredentials,
  prepareCredentials,
} from '../../platform/lifecycle/credentials.ts';
import { openDatabase } from '../../platform/lifecycle/database.ts';
import { drain } from '../../platform/lifecycle/drain.ts';
import { markEphemeral, temporaryConfig } from '../../platform/lifecycle/ephemeral.ts';
import { listen, reachable, requireAddress, SSH_SETTINGS } from '../../platform/lifecycle/listen.ts';
import { outageLog } from '../../platform/lifecycle/outages.ts';
import { connectOptions, prepareDatabase, SHORT_LIVED } from '../../platform/lifecycle/prepare.ts';
import { copyPrepared } from '../../platform/lifecycle/prepared.ts';
import { readPrivateFile } from '../../platform/lifecycle/private_file.ts';
import type { Readiness } from '../../platform/lifecycle/readiness.ts';
import { agreeOnSecret } from '../../platform/lifecycle/secret.ts';
import { awaitStopSignal } from '../../platform/lifecycle/signals.ts';
import { createConsoleLogger } from '../../platform/observability/console_log.ts';
import { createLogger, type Logger } from '../../platform/observability/log.ts';
import { logSlow } from '../../platform/observability/metrics/slow.ts';
import { startTracing } from '../../platform/observability/tracing/start.ts';
import { packagePath, packageVersion } from '../../platform/package_root.ts';
import type { SshOptions } from '../ssh/start.ts';
import { isLocal, localOnly, requireLoopback } from '../web/local_only.ts';
import { type ControlMessage, followCommands } from './control.ts';
import type { Instance, InstanceOptions } from './instance.ts';
import type { ReplaceableInstance } from './replaceable_instance.ts';
import type { Sandbox } from './sandboxes.ts';
import type { ServeOptions } from './serve_options.ts';

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
  const { ephemeral, seed, exposeKnownTokens: exposed, control, port } = options;
  const sample = seed ? { exposed } : undefined;
  if (sample && !sample.exposed) requireLoopback(given.host);
  const stopSignal = awaitStopSignal();
  const databaseGone = Promise.withResolvers<string>();
  await using resources = new AsyncDisposableStack();
  const log = control ? createLogger(given.logLevel, process.stderr) : await createConsoleLogger(given.logLevel);
  const config = ephemeral ? await temporaryConfig(given, { log, resources, port, exposed }) : given;
  resources.defer(await startTracing(process.env));
  void removeLeftDirectories();
  // Nothing waits for it: until it is there, this process starts programs itself.
  const spawner = startSpawner(packagePath('bin/spawner.js'));
  resources.defer(async () => (await spawner)());
  logSlow(log, config.slow);

  requireDirectories(config);
  // If a server has run here, one that is still running better explains why a port is in use.
  const isNew = !existsSync(config.dataDir);
  if (isNew) await requireAddresses(config);
  const shared = config.databaseUrl !== undefined;
  const lock = lockDataDirectory(config.dataDir, 'gantry serve', { shared });
  resources.defer(() => lock.release());
  if (!isNew) await requireAddresses(config);
  if (ephemeral) {
    markEphemeral(config.dataDir);
    await fillDirectory(config, { given, seeded: seed, log });
  }
  const state = await start(config, { ephemeral, control, sample, log, resources, databaseGone: databaseGone.resolve });
  lock.publish({ url: state.url, ...(config.databaseUrl === undefined ? { databaseUrl: state.databaseUrl } : {}) });
  const answer = (message: ControlMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);
  if (control) answer({ event: 'started', url: state.url, tokens: state.tokens });
  else process.stdout.write(state.greeting);

  const reason = await Promise.race([
    stopSignal.received,
    databaseGone.promise.then((said) => new Error(said)),
    ...(control ? [followCommands(process.stdin, { reset: state.reset, answer }).then(() => 'SIGINT' as const)] : []),
  ]);
  // A stream of commands that nobody closes would keep this process.
  if (control) process.stdin.destroy();
  if (reason instanceof Error) {
    log.fatal(`PostgreSQL ended: ${reason.message}`);
    return 1;
  }
  log.info(`Stopping after ${reason}`);
  await drain(state.readiness, reason, ephemeral ? 0 : config.drain);
  return 0;
}

/** Fills the data directory of an ephemeral server: from a prepared one, unless settings say what is in it. */
async function fillDirectory(
  { dataDir }: Config,
  { given, seeded, log }: { given: Config; seeded: boolean; log: Logger },
): Promise<void> {
  const { secret, rootPassword, rootToken } = given;
  const chosen = present({ secret, rootPassword, rootToken });
  const make = async (directory: string) => {
    const { setUp } = await import('./set_up.ts');
    await setUp(directory, { seeded, given: chosen, log });
  };
  const isUsual = !seeded || Object.keys(chosen).length === 0;
  const content = seeded ? 'seeded' : 'empty';
  if (isUsual && (await copyPrepared(dataDir, { content, make, log }))) return;
  await make(dataDir);
}

/** If the default SSH port is taken, the server runs without SSH. */
async function requireAddresses({ host, port, ssh }: Config): Promise<void> {
  await requireAddress(host, port);
  if (ssh && !ssh.isUsualPort) await requireAddress(ssh.host, ssh.port, SSH_SETTINGS);
}

interface StartContext {
  ephemeral: boolean;
  control: boolean;
  /** Options for the sample data; undefined without it. */
  sample: { exposed: boolean } | undefined;
  log: Logger;
  resources: AsyncDisposableStack;
  databaseGone(reason: string): void;
}

interface Started {
  databaseUrl: string;
  url: string;
  greeting: string;
  /** Known private tokens by the names of their owners. */
  tokens: Record<string, string>;
  readiness: Readiness;
  /** Brings the data back to how they were at the start; only with `control`. */
  reset(): Promise<void>;
}

async function start(config: Config, context: StartContext): Promise<Started> {
  const { log, resources, ephemeral, control, sample } = context;
  announceSetup(config);
  // Loading the application takes about as long as starting PostgreSQL, so both happen at once.
  const loading = loadApplication();
  loading.catch(() => undefined);
  const loadingSsh = config.ssh && loadSsh(config.ssh);
  loadingSsh?.catch(() => undefined);
  const database = await openDatabase(config, log, context.databaseGone, ephemeral ? SHORT_LIVED : {});
  resources.defer(() => database.stop());
  const application = await loading;
  const { connect, bootstrapAdministrator, hasAdministrator } = application;
  const connectTo = (url: string) => connect(url, { ...connectOptions(config), outages: outageLog(log) });
  const db = connectTo(database.url);
  resources.defer(() => db.$disconnect());
  let secret = '';
  let created: Partial<Credentials> | undefined;
  const version = await prepareDatabase(config, database, log, async () => {
    secret = await agreeOnSecret(db, config);
    if (await hasAdministrator(db)) {
      if (ephemeral) created = keptCredentials(config);
      return;
    }
    const { chosen, made } = prepareCredentials(config);
    if (await bootstrapAdministrator(db, secret, chosen)) created = made;
  });

  const { ensureKeys } = await import('../../access/oauth/keys.ts');
  const keysMade = ensureKeys(db, secret);
  keysMade.catch(() => undefined);

  const bound = Promise.withResolvers<string>();
  const { host, port, gitGrace = GIT_GRACE, externalUrl } = config;
  let listeningUrl = '';
  const isGuarded = sample !== undefined && !sample.exposed;
  const upgrades = new application.Upgrades(isGuarded ? isLocal : undefined);
  const gitConcurrency = application.gitSemaphore(config.gitRequests ? { atOnce: config.gitRequests } : {});
  const startSsh = await loadingSsh;
  const shared = {
    secret,
    log,
    gitConcurrency,
    listeningUrl: () => listeningUrl,
    baseUrl: async () => externalUrl ?? (await bound.promise),
    openSsh: startSsh ?? undefined,
  };
  const open = (place: Pick<InstanceOptions, 'config' | 'db' | 'directUrl' | 'upgrades'>) =>
    application.openInstance({ ...shared, ...place });
  let current: ReplaceableInstance | Instance;
  if (control) {
    await keysMade;
    await db.$disconnect();
    const sandboxes = new application.Sandboxes(config, database.url);
    const openIn = ({ config, url }: Sandbox, upgrades: InstanceOptions['upgrades']) =>
      open({ config, db: connectTo(url), directUrl: url, upgrades });
    current = await application.ReplaceableInstance.open(sandboxes, openIn, upgrades);
  } else {
    current = await open({ config, db, directUrl: database.directUrl, upgrades });
    await keysMade;
  }
  resources.defer(() => current.close());

  const mayTakeLonger = (target: string) => application.isGitPath(target.split('?', 1)[0] ?? '');
  const handler = isGuarded ? localOnly(current.handler) : current.handler;
  const listening = await listen(handler, { host, port, mayTakeLonger, upgrades });
  resources.defer(collectWhenQuiet(listening.quiet));
  listeningUrl = reachable(listening.url);
  bound.resolve(listeningUrl);
  resources.defer(async () => {
    await Promise.all([listening.close({ long: gitGrace, others: GRACE }), current.closeConnections(gitGrace)]);
  });

  await current.startSsh();
  if (!control) resources.defer(preloadSoon(db));
  const ssh = current.sshAddress();
  const file = credentialsFile(config.dataDir);
  const isKept = readPrivateFile(file) !== undefined;
  const announce = sample && (await import('../seed/announce.ts'));
  const greeting = banner({
    version: packageVersion(),
    url: externalUrl ?? listening.url,
    apiUrl: `${listeningUrl}/api/v4`,
    ssh: ssh
      ? sshBase(externalUrl ?? listeningUrl, ssh)
      : ssh === null
        ? `not available: port ${config.ssh?.port} is in use by another program (GANTRY_SSH_PORT)`
        : undefined,
    dataDir: config.dataDir,
    database:
      config.databaseUrl === undefined ? `embedded PostgreSQL ${version}` : `PostgreSQL ${version} of DATABASE_URL`,
    credentials: created,
    credentialsFile: isKept ? file : undefined,
    ephemeral,
    sample: sample && announce?.announceSample(sample),
  });
  const root = created?.privateToken ?? config.rootToken;
  return {
    databaseUrl: database.url,
    url: externalUrl ?? reachable(listening.url),
    greeting,
    tokens: { ...(root === undefined ? {} : { root }), ...announce?.sampleTokens() },
    readiness: current.readiness,
    async reset() {
      if (!('reset' in current)) throw new Error('This server keeps its data');
      await current.reset();
    },
  };
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
  return (options: Omit<SshOptions, 'hostKeys'>, port = config.port) =>
    startSsh({ ...config, port }, { ...options, hostKeys: keys });
}

async function loadApplication() {
  const [db, instance, replaceable, sandboxes, bootstrap, remote, upgrades, gitConcurrency] = await Promise.all([
    import('../../platform/database/db.ts'),
    import('./instance.ts'),
    import('./replaceable_instance.ts'),
    import('./sandboxes.ts'),
    import('../../domain/users/bootstrap.ts'),
    import('../web/git_remote.ts'),
    import('../web/upgrades.ts'),
    import('../../domain/repository/remote/git_concurrency.ts'),
  ]);
  const { isGitPath } = remote;
  return { ...db, ...instance, ...replaceable, ...sandboxes, ...bootstrap, ...upgrades, ...gitConcurrency, isGitPath };
}
