import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { Limits } from '#schema/limits.ts';
import { createTokenFromCommandLine } from '#src/access/credentials/tokens/create.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { hookSubscriptions, watchHooks } from '#src/domain/changes/wanted_hooks.ts';
import { createGroup, type NewGroup } from '#src/domain/groups/create.ts';
import { findGroup, type GroupRow } from '#src/domain/groups/find.ts';
import { useProviders } from '#src/domain/lifecycle/accounts/register.ts';
import { createProject, type NewProject } from '#src/domain/lifecycle/create_project.ts';
import type { LiveLimits } from '#src/domain/live/subscription_quota.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { RepositoryStore, type StoreOptions } from '#src/domain/repository/store.ts';
import { createIssue, type NewIssue } from '#src/domain/tracking/issues/create.ts';
import { createLabel } from '#src/domain/tracking/labels/save.ts';
import { createMilestone, type MilestoneValues } from '#src/domain/tracking/milestones/save.ts';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { HookDeliveries } from '#src/domain/webhooks/deliver.ts';
import { runChecks } from '#src/entrances/doctor/check.ts';
import { checkDatabase } from '#src/entrances/doctor/database.ts';
import { createApp } from '#src/entrances/server/app.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { Upgrades } from '#src/entrances/web/upgrades.ts';
import { retryDeadLetters } from '#src/platform/background/dead_letters.ts';
import { type JobHandlers, type JobQueue, startJobs } from '#src/platform/background/queue.ts';
import type { ProviderSettings } from '#src/platform/config/sign_in_providers.ts';
import { connect, type Db } from '#src/platform/database/db.ts';
import { Listener } from '#src/platform/database/listener.ts';
import type { BudgetLimits } from '#src/platform/limits/budget.ts';
import { createLogger } from '#src/platform/observability/log.ts';
import { startMailIn } from '#src/platform/outbound/mail/mail_in.ts';
import { createMailer } from '#src/platform/outbound/mail/mailer.ts';
import { startSending } from '#src/platform/outbound/mail/sending.ts';
import { type ImportSettings, importSettings } from '#src/platform/outbound/options.ts';
import { decrypt, encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';
import { dropDatabase, freshDatabase } from './database.ts';
import { type Answer, type Send, sender } from './http.ts';
import { PACES_WITHOUT_SCHEDULES } from './paces.ts';

export const LEVELS = { guest: 10, reporter: 20, developer: 30, master: 40, owner: 50 } as const;
export const PASSWORD = 'correct horse';

export interface TestUser {
  id: number;
  username: string;
  /** The private token. */
  token: string;
  actor: Actor;
}

/** What a process that works on jobs writes and reads every few seconds, whatever is tested. */
const SIGN_OF_LIFE = /^\s*(UPDATE job_processes|WITH gone AS|SELECT h\.id AS "hookId")/;

/** The REST API as somebody; paths are below /api/v4. */
export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string, body?: unknown): Promise<Answer>;
}

type Owned<Input> = Partial<Input> & { owner: TestUser };

/** What all servers of tests with sites have in common. */
const SITES = { scheme: 'http', serverHostname: '127.0.0.1' } as const;

/** The statements of the server while somebody counts them. */
interface Heard {
  statements: string[] | null;
}

/** A server over real HTTP on a database of its own, and what tests fill it with. It goes with the test file. */
export class World {
  readonly db: Db;
  readonly url: string;
  readonly databaseUrl: string;
  /** Sends any request to the server. */
  readonly send: Send;
  #jobs: JobQueue | null;
  /** What imports may do; tests change it. */
  readonly imports: ImportSettings;
  readonly repositories: RepositoryStore;
  readonly uploads: UploadStore;
  readonly followers = FOLLOWERS;
  #count = 0;
  #passwordHash: Promise<string> | undefined;
  readonly #heard: Heard;

  constructor(
    db: Db,
    jobs: JobQueue,
    repositories: RepositoryStore,
    uploads: UploadStore,
    imports: ImportSettings,
    databaseUrl: string,
    port: number,
    send: Send,
    heard: Heard,
  ) {
    this.db = db;
    this.imports = imports;
    this.#jobs = jobs;
    this.repositories = repositories;
    this.uploads = uploads;
    this.databaseUrl = databaseUrl;
    this.url = `http://127.0.0.1:${port}`;
    this.send = send;
    this.#heard = heard;
  }

  /** A name that nothing else in this world has. */
  unique(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  /** A user with the password PASSWORD; written without the command, which hashes the password anew each time. */
  async user({
    admin = false,
    external = false,
    blocked = false,
    username = this.unique('user'),
  } = {}): Promise<TestUser> {
    const name = `Name of ${username}`;
    const token = newToken();
    const places = { kind: 'user', name: username, path: username, fullPath: username, fullName: name } as const;
    this.#passwordHash ??= hashPassword(PASSWORD, null);
    const { id, namespace } = await this.db.user.create({
      data: {
        username,
        name,
        email: `${username}@example.org`,
        admin,
        external,
        state: blocked ? 'blocked' : 'active',
        passwordHash: await this.#passwordHash,
        canCreateGroup: !external,
        projectsLimit: external ? 0 : 100_000,
        privateTokenHash: tokenHash(token),
        privateTokenEncrypted: encrypt(token, secret),
        confirmedAt: new Date(),
        // Seen today already: no request of a test is the user's first of the day, which takes a statement more.
        lastActivityOn: new Date(),
        namespace: { create: places },
      },
      select: { id: true, namespace: { select: { id: true } } },
    });
    const lineage = namespace ? [namespace.id] : [];
    await this.db.namespace.update({ where: { ownerId: id }, data: { lineage } });
    const rights = { admin, external, canCreateGroup: !external, projectsLimit: 1000 };
    const actor = { id, username, ...rights, credential: 'private_token', scopes: ['api'] } as const;
    return { id, username, token, actor };
  }

  /** The user with the private token as it is by now. */
  async renewed(user: TestUser): Promise<TestUser> {
    const { privateTokenEncrypted } = await this.db.user.findUniqueOrThrow({ where: { id: user.id } });
    return { ...user, token: decrypt(privateTokenEncrypted, secret) };
  }

  /** A personal access token. */
  async token(user: TestUser, scopes: string[] = ['api'], expiresAt?: Date): Promise<string> {
    const { token } = await createTokenFromCommandLine(this.db, { user: user.username, scopes });
    // Also of a day that has passed, which nobody can choose.
    const where = { tokenHash: tokenHash(token) };
    if (expiresAt) await this.db.personalAccessToken.update({ where, data: { expiresAt } });
    return token;
  }

  async group({ owner, ...input }: Owned<NewGroup>): Promise<GroupRow> {
    const name = this.unique('group');
    return findGroup(this.as(owner), await createGroup(this.as(owner), { name, path: name, ...input }));
  }

  project({ owner, ...input }: Owned<NewProject>): Promise<ProjectRow> {
    return createProject(this.as(owner), { name: this.unique('project'), ...input });
  }

  async member(
    place: { id: number; kind?: string } | ProjectRow | GroupRow,
    user: TestUser,
    level: keyof typeof LEVELS,
  ) {
    const where = 'issuesEnabled' in place ? { projectId: place.id } : { namespaceId: place.id };
    await this.db.member.create({ data: { ...where, userId: user.id, accessLevel: LEVELS[level] } });
  }

  async issue(project: ProjectRow, author: TestUser, input: Partial<NewIssue> = {}) {
    const values = { title: this.unique('Issue '), ...input, project: project.id };
    const { id } = await createIssue(this.as(author), values);
    return this.db.issue.findUniqueOrThrow({ where: { id } });
  }

  async label(project: ProjectRow, author: TestUser, title = this.unique('label')) {
    const { id } = await createLabel(this.as(author), { project: project.id }, { title, color: '#ff0000' });
    return this.db.label.findUniqueOrThrow({ where: { id } });
  }

  async milestone(project: ProjectRow, author: TestUser, input: MilestoneValues = {}) {
    const { id } = await createMilestone(
      this.as(author),
      { project: project.id },
      { title: this.unique('Milestone '), ...input },
    );
    return this.db.milestone.findUniqueOrThrow({ where: { id } });
  }

  /** A merge request without commits, written without the command, which asks for branches. */
  async mergeRequest(
    project: { id: number },
    author: { id: number },
    input: { milestoneId?: number; iid: number; title?: string; sourceBranch?: string; targetBranch?: string },
  ) {
    return this.db.mergeRequest.create({
      data: {
        targetProjectId: project.id,
        sourceProjectId: project.id,
        title: `Merge ${input.iid}`,
        sourceBranch: input.iid === 1 ? 'topic' : `topic-${input.iid}`,
        targetBranch: 'main',
        authorId: author.id,
        ...input,
      },
    });
  }

  /** The REST API as the bearer of a private token or personal access token; anonymous without one. */
  api(who?: TestUser | string): Api {
    const token = typeof who === 'object' ? who.token : who;
    const credential: Record<string, string> = token === undefined ? {} : { 'PRIVATE-TOKEN': token };
    const send = (method: string) => (path: string, body?: unknown) =>
      this.send(method, `/api/v4${path}`, { headers: credential, ...(body === undefined ? {} : { body }) });
    return {
      get: (path, headers) => this.send('GET', `/api/v4${path}`, { headers: { ...credential, ...headers } }),
      post: send('POST'),
      put: send('PUT'),
      patch: send('PATCH'),
      delete: send('DELETE'),
    };
  }

  /** Waits until the condition holds, as background work makes it; fails after most of the time that a test may take. */
  async until(
    condition: () => Promise<boolean>,
    milliseconds = 50_000,
    describe: () => string = () => '',
  ): Promise<void> {
    const patience = Date.now() + milliseconds;
    while (!(await condition())) {
      if (Date.now() > patience) throw new Error(`waited in vain ${describe()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  graphql(query: string, variables: Record<string, unknown> = {}, who?: TestUser): Promise<Answer> {
    const headers: Record<string, string> = who ? { 'PRIVATE-TOKEN': who.token } : {};
    return this.send('POST', '/graphql', { headers, body: { query, variables } });
  }

  /** Waits until no background job is left to do now. */
  async idle(): Promise<void> {
    let waiting: unknown[] = [];
    const isIdle = async () => {
      waiting = await this.db.$queryRaw<unknown[]>`
        SELECT name, state::text, data, created_on, started_on FROM pgboss.job
        WHERE state IN ('created', 'active') AND start_after <= now() AND name NOT LIKE '\\_\\_%'
          AND name <> 'dead_letters' LIMIT 5`;
      return waiting.length === 0;
    };
    await this.until(isIdle, undefined, () => `for ${JSON.stringify(waiting)}`);
  }

  /** The SQL statements that run meanwhile. */
  async statements(work: () => Promise<unknown>): Promise<string[]> {
    await this.idle();
    const statements: string[] = [];
    this.#heard.statements = statements;
    try {
      await work();
    } finally {
      this.#heard.statements = null;
    }
    return statements;
  }

  /** What does the jobs of this world. */
  handlers(): JobHandlers {
    const { db, repositories, uploads, imports } = this;
    return jobHandlers({ db, repositories, uploads, secret, imports });
  }

  /** Lets people sign in with these providers. Expected errors of providers are not printed. */
  useProviders(settings: readonly ProviderSettings[]): void {
    useProviders({ db: this.db, secret, jobs: this.jobs }, settings, () => {});
  }

  /** Where commands leave work for later. */
  get jobs(): JobQueue {
    if (!this.#jobs) throw new Error('The server of this file has stopped');
    return this.#jobs;
  }

  /** The context of commands that the user runs. */
  as({ actor }: TestUser): Context {
    const { db, jobs, followers, repositories, uploads, imports } = this;
    return { db, actor, secret, jobs, followers, repositories, uploads, imports, clientAddress: null };
  }

  /** Lets go of what the server was, which has stopped. */
  forget(): void {
    Object.assign(this, { db: null, repositories: null, uploads: null, imports: null });
    this.#jobs = null;
  }
}

/** Key material of the servers of tests. */
export const SECRET = 'a secret for tests '.repeat(3);
const secret = SECRET;

export interface WorldOptions extends StoreOptions {
  /** Names of the storages of repositories. */
  storages?: readonly string[];
  /** URL of the mail server; no mail is sent without one. */
  smtp?: string;
  /** The address of incoming mail, with `%{key}` in it; none comes in without one. */
  mailIn?: string;
  /** What one operation may use, where that is not the usual. */
  budget?: Partial<BudgetLimits>;
  /** What one request to /graphql may ask for, where that is not the usual. */
  graphqlLimits?: Partial<Limits>;
  /** The GraphQL documents that alone are executed, by their hashes. */
  trustedDocuments?: ReadonlyMap<string, string>;
  /** Who reads the metrics without a credential. */
  metricsAddresses?: readonly string[];
  /** Whether answers are compressed; they are unless it is said. */
  compression?: boolean;
  exactTotals?: boolean;
  clientRegistration?: boolean;
  /** How many subscriptions there may be, where that is not the usual. */
  liveLimits?: Partial<LiveLimits>;
  /** Host below which the sites of projects are served; there are none without. */
  pagesHost?: string;
  /** Gets the lines of the log; there is none without. */
  log?: (line: Record<string, unknown>) => void;
}

/** Starts a server; it stops after the last test of the file, or when `atEnd` says: within a test that is `onTestFinished`. */
export async function startWorld(
  {
    storages = ['default'],
    smtp,
    mailIn,
    budget,
    graphqlLimits,
    trustedDocuments,
    metricsAddresses,
    compression,
    clientRegistration,
    exactTotals,
    liveLimits,
    log: toLog,
    pagesHost,
    ...store
  }: WorldOptions = {},
  atEnd: (end: () => Promise<void>) => void = afterAll,
): Promise<World> {
  const databaseUrl = await freshDatabase();
  const heard: Heard = { statements: null };
  const db = connect(databaseUrl, {
    // Each costs PostgreSQL a process, for one file of tests.
    connections: 4,
    heard: (statement) => {
      if (!SIGN_OF_LIFE.test(statement)) heard.statements?.push(statement);
    },
  });
  const root = mkdtempSync(path.join(tmpdir(), 'gantry-repositories-'));
  const roots = Object.fromEntries(storages.map((name) => [name, path.join(root, name)]));
  const repositories = new RepositoryStore(roots, store);
  const uploads = new DiskUploads(path.join(root, 'uploads'));
  const imports = importSettings();
  const report = (error: unknown) => console.error(error);
  const listening = Promise.withResolvers<string>();
  const mailer = smtp === undefined ? undefined : createMailer({ url: smtp, from: 'Gantry <gantry@example.org>' });
  if (mailer) startSending(db);
  if (mailIn !== undefined) startMailIn(db, mailIn);
  const outgoing = mailer && { mailer, baseUrl: () => listening.promise };
  const baseUrl = () => listening.promise;
  const hooks = new HookDeliveries({ db, repositories, secret, imports, baseUrl, sshAddress: () => null, report });
  const address = async () => ({ baseUrl: await baseUrl(), ssh: null });
  const sites = pagesHost === undefined ? undefined : { ...SITES, host: pagesHost, hostname: pagesHost, serverUrl: '' };
  const handlers = jobHandlers({ db, repositories, uploads, secret, imports, outgoing, hooks, address, sites });
  const listener = await Listener.open(databaseUrl, report);
  // To make a connection takes PostgreSQL longer than most tests ask of it: one serves the queue.
  const queue = { url: databaseUrl, listener, db, connections: 1 };
  const jobs = await startJobs({ ...queue, handlers, paces: PACES_WITHOUT_SCHEDULES, report });
  await watchHooks(db, listener);
  await hooks.start({ listener, jobs });
  // Read once and kept: no request of a test is the first to read them.
  await currentSettings(db);
  await hookSubscriptions(db);
  let listeningUrl = '';
  const log = toLog && createLogger('info', { write: (line) => toLog(JSON.parse(line)) });
  const tools = {
    examine: () => runChecks([{ name: 'database', run: () => checkDatabase(databaseUrl) }]),
    retryDeadJobs: (ids?: readonly string[]) => retryDeadLetters(databaseUrl, ids),
  };
  const serving = { db, secret, jobs, repositories, uploads, imports };
  const upgrades = new Upgrades();
  const stopping = new AbortController();
  const live = { listener, liveLimits, upgrades, stopping: stopping.signal };
  const options = {
    ...serving,
    tools,
    ...live,
    budget,
    graphqlLimits,
    trustedDocuments,
    metricsAddresses,
    compression,
    exactTotals,
    clientRegistration,
    log,
    listeningUrl: () => listeningUrl,
    sites,
    sitesMemory: 0,
  };
  const server = createServer(createApp(options));
  upgrades.attach(server);
  // A connection that is kept is not closed just when the next request of a test takes it.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  listeningUrl = `http://127.0.0.1:${port}`;
  if (sites) sites.serverUrl = listeningUrl;
  listening.resolve(listeningUrl);
  const { send, close } = sender(port);
  const stop = async () => {
    close();
    stopping.abort();
    server.closeAllConnections();
    server.close();
    await hooks.stop();
    await jobs.stop();
    await listener.close();
    await repositories.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    await db.$disconnect();
    await dropDatabase(databaseUrl);
  };
  const world = new World(db, jobs, repositories, uploads, imports, databaseUrl, port, send, heard);
  stopOnce(world, stop, atEnd);
  return world;
}

/**
 * Stops a world at its end. The module of a test file stays in memory, with its hooks and its world: they hold nothing of the
 * server then, which takes megabytes.
 */
function stopOnce(world: World, stop: () => Promise<void>, atEnd: (end: () => Promise<void>) => void): void {
  let ending: typeof stop | null = stop;
  atEnd(async () => {
    await ending?.();
    ending = null;
    world.forget();
  });
}
