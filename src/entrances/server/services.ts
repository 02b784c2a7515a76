import type { Follower } from '#src/domain/changes/record.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { watchHooks } from '../../domain/changes/wanted_hooks.ts';
import { useProviders } from '../../domain/lifecycle/accounts/register.ts';
import { requireStorages } from '../../domain/repository/storages.ts';
import { RepositoryStore } from '../../domain/repository/store.ts';
import { openUploads } from '../../domain/uploads/open.ts';
import type { UploadStore } from '../../domain/uploads/store.ts';
import { HookDeliveries } from '../../domain/webhooks/deliver.ts';
import { makeDirectories } from '../../git/write/make_directories.ts';
import { type JobWorker, startJobs } from '../../platform/background/queue.ts';
import type { Config } from '../../platform/config/config.ts';
import { sshAddress as configuredSsh } from '../../platform/config/ssh.ts';
import type { SshPlace } from '../../platform/config/ssh_address.ts';
import type { Db } from '../../platform/database/db.ts';
import { Listener } from '../../platform/database/listener.ts';
import { brandedMailer } from '../../platform/outbound/mail/branded.ts';
import { startMailIn } from '../../platform/outbound/mail/mail_in.ts';
import { startSending } from '../../platform/outbound/mail/sending.ts';
import { type ImportSettings, importSettings } from '../../platform/outbound/options.ts';
import { watchSettings } from '../../platform/settings/watch.ts';
import { JOB_PACES, jobHandlers } from './background_jobs.ts';

/** What commands and jobs use besides the database: stores and the job queue. */
export interface Services {
  repositories: RepositoryStore;
  uploads: UploadStore;
  imports: ImportSettings;
  jobs: JobWorker;
  followers: readonly Follower[];
  /** Receives the notifications of the database. */
  listener: Listener;
}

export interface ServicesOptions {
  config: Config;
  db: Db;
  /** URL of the database itself, not of a pooler. */
  directUrl: string;
  secret: string;
  /** Base URL of links in mail, as soon as it is known. */
  baseUrl(): Promise<string>;
  /** SSH address of this process; the configured one while undefined. */
  sshAddress?(): SshPlace | undefined;
  /** Receives errors of failed jobs, of the queue and of the settings. */
  report(error: unknown): void;
  /** Collects what must be closed. */
  resources: AsyncDisposableStack;
  /** What the metrics show about this process. */
  labels?: readonly string[];
}

/** Opens everything that a process works with, be it a server or a worker, and starts working on its job queues. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, db, directUrl, secret, baseUrl, report, resources, labels } = options;
  const { ssh } = config;
  const sshAddress = () => {
    const known = options.sshAddress?.();
    return known === undefined ? ssh && configuredSsh(ssh, ssh.port) : known;
  };
  const { maxInlineBytes, repositoryLimits: limits, queues, concurrency, mail, mailIn } = config;
  const repositories = new RepositoryStore(config.storages, { maxInlineBytes, limits, report });
  await requireStorages(db, repositories);
  for (const directory of Object.values(config.storages)) await makeStorage(directory, report);
  resources.defer(() => repositories.close());
  const uploads = await openUploads(config);
  const listener = await Listener.open(directUrl, report);
  resources.defer(() => listener.close());
  await watchSettings(db, listener);
  await watchHooks(db, listener);
  const imports = importSettings({
    hosts: config.importHosts,
    webhookHosts: config.webhookHosts,
    maxBytes: config.importMaxBytes,
  });
  if (mail) startSending(db);
  if (mailIn) startMailIn(db, mailIn.address);
  const outgoing = mail && {
    mailer: brandedMailer((await import('../../platform/outbound/mail/mailer.ts')).createMailer(mail), db),
    baseUrl,
  };
  const stopped = new AbortController();
  const stores = { db, repositories, uploads, secret, imports, sites: config.sites };
  const hooks = new HookDeliveries({ ...stores, baseUrl, sshAddress, report });
  const address = async () => ({ baseUrl: await baseUrl(), ssh: sshAddress() });
  const handlers = jobHandlers({ ...stores, outgoing, hooks, address, stopping: stopped.signal });
  const jobs = await startJobs({
    url: directUrl,
    listener,
    db,
    handlers,
    paces: JOB_PACES,
    report,
    queues,
    concurrency,
    labels,
  });
  resources.defer(async () => {
    stopped.abort();
    await jobs.stop();
  });
  useProviders({ db, secret, jobs }, config.signInProviders, report);
  if (queues?.includes('hooks.deliver') ?? true) {
    await hooks.start({ listener, jobs });
    resources.defer(() => hooks.stop());
  }
  if (mailIn?.imapUrl !== undefined && (queues?.includes('mail_in.handle') ?? true)) {
    const { followMailbox } = await import('../../domain/mail_in/follow_mailbox.ts');
    const ownAddress = mail ? (await import('../../platform/outbound/mail/mailer.ts')).addressIn(mail.from) : null;
    const mailboxStopped = new AbortController();
    const following = { db, jobs, secret, ownAddress, url: mailIn.imapUrl, report, signal: mailboxStopped.signal };
    const ended = followMailbox(following).catch(report);
    resources.defer(async () => {
      mailboxStopped.abort();
      await ended;
    });
  }
  return { repositories, uploads, imports, jobs, listener, followers: FOLLOWERS };
}

/** Creates a missing storage. A failure is reported: the server is not ready until the storage exists. */
async function makeStorage(directory: string, report: (error: unknown) => void): Promise<void> {
  await makeDirectories(directory).catch(report);
}
