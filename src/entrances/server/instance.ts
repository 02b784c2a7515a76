import type { RequestListener } from 'node:http';
import { deprecatedUsesOf } from '#src/domain/administration/deprecated_uses.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { openServices } from '#src/entrances/server/services.ts';
import { serverTools } from '#src/entrances/server/tools.ts';
import type { SshOptions, StartedSsh } from '#src/entrances/ssh/start.ts';
import type { Upgrades } from '#src/entrances/web/upgrades.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Readiness } from '#src/platform/lifecycle/readiness.ts';
import { openReplica } from '#src/platform/lifecycle/replica.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { reporter } from '#src/platform/observability/report.ts';

/** Everything that serves one database and the repositories that belong to it. Nothing of it is shared with a later one. */
export interface Instance {
  handler: RequestListener;
  readiness: Readiness;
  /** Where git reaches it over SSH; null where the port is taken, undefined where SSH is off or not started yet. */
  sshAddress(): SshAddress | null | undefined;
  /** @param port in place of a free one */
  startSsh(port?: number): Promise<void>;
  /** Ends subscriptions and SSH, which has so many milliseconds for running commands. */
  closeConnections(grace: number): Promise<void>;
  /** Stops background work and closes what was opened. */
  close(): Promise<void>;
}

export interface InstanceOptions {
  config: Config;
  /** Closed by the instance. */
  db: Db;
  /** URL of the database itself, not of a pooler. */
  directUrl: string;
  secret: string;
  log: Logger;
  upgrades: Upgrades;
  gitConcurrency: CallerSemaphore;
  /** Base URL under which this machine reaches the server; empty until it listens. */
  listeningUrl(): string;
  /** Base URL of links in mail, as soon as it is known. */
  baseUrl(): Promise<string>;
  /** Starts the SSH server; absent where it is off. */
  openSsh?: ((options: Omit<SshOptions, 'hostKeys'>, port?: number) => Promise<StartedSsh | null>) | undefined;
}

/** Milliseconds between two times that what was counted in memory is written down. */
const FLUSH_MS = 30_000;

/** Opens the stores, the job queue and the application of one database. */
export async function openInstance(options: InstanceOptions): Promise<Instance> {
  const { config, db, directUrl, secret, log, upgrades, gitConcurrency, listeningUrl, baseUrl, openSsh } = options;
  await using opened = new AsyncDisposableStack();
  opened.defer(() => db.$disconnect());
  const report = reporter(log, 'background work');
  let ssh: StartedSsh | null | undefined;
  const sshAddress = () => (ssh === null ? 'nowhere' : ssh?.address);
  const { jobs, ...stores } = await openServices({
    config,
    db,
    directUrl,
    secret,
    baseUrl,
    sshAddress,
    report,
    resources: opened,
  });
  await jobs.enqueueAlone('repositories.reconcile');
  const readiness = new Readiness(db, config, (problems) => {
    const reasons = problems.map(({ name, reason }) => `${name} (${reason})`);
    if (problems.length === 0) log.warn('The server is ready again');
    else log.error(`The server is not ready: ${reasons.join(', ')}`);
  });
  const stopping = new AbortController();
  const {
    externalUrl,
    sites,
    trustProxy,
    graphqlLimits,
    trustedDocuments,
    budget,
    metricsAddresses,
    compression,
    exactTotals,
    clientRegistration,
    examples,
    liveLimits,
  } = config;
  const replica = config.databaseReadUrl === undefined ? undefined : openReplica(config, db, log);
  if (replica) opened.defer(() => replica.close());
  const app = createApp({
    db,
    replica,
    secret,
    jobs,
    tools: serverTools(config, directUrl),
    ...stores,
    externalUrl,
    sites,
    listeningUrl,
    trustProxy,
    graphqlLimits,
    trustedDocuments,
    budget,
    gitConcurrency,
    sshAddress: () => sshAddress() ?? null,
    metricsAddresses,
    compression,
    exactTotals,
    clientRegistration,
    examples,
    log,
    readiness,
    liveLimits,
    upgrades,
    stopping: stopping.signal,
  });
  const uses = deprecatedUsesOf(db);
  const flush = () => uses.flush(db).catch(report);
  const flushing = setInterval(flush, FLUSH_MS).unref();
  const resources = opened.move();
  return {
    handler: app,
    readiness,
    sshAddress: () => (ssh === null ? null : ssh?.address),
    async startSsh(port) {
      ssh = await openSsh?.({ stores: { db, secret, jobs, ...stores }, gitConcurrency, baseUrl, log, report }, port);
    },
    async closeConnections(grace) {
      readiness.stop();
      stopping.abort();
      await ssh?.close(grace);
      clearInterval(flushing);
      await flush();
    },
    close: () => resources.disposeAsync(),
  };
}
