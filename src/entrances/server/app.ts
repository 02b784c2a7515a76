import type { IncomingMessage } from 'node:http';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type ServeOptions, servePages } from '#pages/engine/serve.ts';
import { rows } from '#pages/index.ts';
import { bodyParameters } from '#rest/engine/body.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import { createFacade } from '#rest/engine/facade.ts';
import { sendRaw } from '#rest/engine/raw.ts';
import { routes } from '#rest/v4/index.ts';
import { type GraphQLContext, graphqlContext } from '#schema/context.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS, type Limits } from '#schema/limits.ts';
import type { createGraphQLServer } from '#schema/server.ts';
import { authenticate, type Credentials } from '#src/access/credentials/authenticate.ts';
import { readBasic, readCredentials } from '#src/access/credentials/credentials.ts';
import { endFamilyOf } from '#src/access/credentials/tokens/rotate.ts';
import { lazyProvider } from '#src/access/oauth/lazy.ts';
import { oauth } from '#src/access/oauth/mount.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { PROTECTED_RESOURCE } from '#src/access/oauth/protected_resource.ts';
import {
  type Actor,
  actorFor,
  type Context,
  type Purpose,
  reachesApi,
  requireApiScope,
} from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { ServerTools } from '#src/domain/administration/server_tools.ts';
import { registerItself } from '#src/domain/applications/register_itself.ts';
import { type RawArtifacts, readRawArtifacts } from '#src/domain/ci/artifacts/read.ts';
import { type ArtifactFile, readPageArtifactFile, readRawArtifactFile } from '#src/domain/ci/artifacts/single_file.ts';
import { type RawTrace, readRawTrace } from '#src/domain/ci/jobs/raw_log.ts';
import { QueueWatch } from '#src/domain/ci/runners/queue_watch.ts';
import { readRawGroupAvatar } from '#src/domain/groups/avatar.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { readDataExport } from '#src/domain/lifecycle/data_export.ts';
import { Hub } from '#src/domain/live/hub.ts';
import type { LiveCaller } from '#src/domain/live/subscriber.ts';
import { DEFAULT_LIVE_LIMITS, type LiveLimits } from '#src/domain/live/subscription_quota.ts';
import { type RawPackageFile, readRawPackageFile } from '#src/domain/packages/read.ts';
import { largestImport } from '#src/domain/project_archives/import_request.ts';
import { readRawExport } from '#src/domain/project_archives/request.ts';
import { readRawProjectAvatar } from '#src/domain/projects/avatar.ts';
import { bearerOrUser } from '#src/domain/projects/bearer.ts';
import { plainText, type RawArchive, type RawBlob, type RawContent, readPageBlob } from '#src/domain/repository/raw.ts';
import { gitSemaphore } from '#src/domain/repository/remote/git_concurrency.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { type RawSnippet, readRawSnippet } from '#src/domain/snippets/raw.ts';
import { type RawFile, readArchiveWithObjects, readRawFile } from '#src/domain/uploads/lfs/read.ts';
import { readRawUpload } from '#src/domain/uploads/list.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { type Precheck, precheck } from '#src/entrances/server/precheck.ts';
import { isProtected, RequestThrottle, THROTTLE_HEADERS } from '#src/entrances/server/throttle.ts';
import { bodyArrival } from '#src/entrances/web/body_arrival.ts';
import { bodyLimit } from '#src/entrances/web/body_limit.ts';
import { compressAnswers } from '#src/entrances/web/compress.ts';
import { containerRegistry, isContainerUploadPath } from '#src/entrances/web/container_registry.ts';
import { endStalled } from '#src/entrances/web/end_stalled.ts';
import { gitRemote, isGitPath } from '#src/entrances/web/git_remote.ts';
import { goGet } from '#src/entrances/web/go_get.ts';
import { health, keepNoConnection } from '#src/entrances/web/health.ts';
import { largeUploads } from '#src/entrances/web/large_uploads.ts';
import { isLfsObjectPath, lfsRemote } from '#src/entrances/web/lfs_remote.ts';
import { metrics } from '#src/entrances/web/metrics.ts';
import { serveAvatars } from '#src/entrances/web/pages/avatars.ts';
import { broken } from '#src/entrances/web/pages/broken.ts';
import { consentPages } from '#src/entrances/web/pages/consent.ts';
import { devicePages } from '#src/entrances/web/pages/device.ts';
import { pages } from '#src/entrances/web/pages/index.ts';
import { wantsPage } from '#src/entrances/web/pages/page.ts';
import { refusedAuthorization } from '#src/entrances/web/pages/refused_authorization.ts';
import type { PageOptions } from '#src/entrances/web/pages/visit.ts';
import { PublicText } from '#src/entrances/web/public_text.ts';
import { serveRawSnippets } from '#src/entrances/web/raw_snippets.ts';
import { isPackagePath, receivePackageFile } from '#src/entrances/web/receive_package.ts';
import { noteCaller, noteRoute } from '#src/entrances/web/request_facts.ts';
import { requestLog } from '#src/entrances/web/request_log.ts';
import { isArtifactsPath } from '#src/entrances/web/runner_artifacts.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { runnerProtocol } from '#src/entrances/web/runner_protocol.ts';
import { sessionForOwnPages, sessionForReads, sessionToken } from '#src/entrances/web/session_token.ts';
import { openLate, type Upgrades } from '#src/entrances/web/upgrades.ts';
import { serveUploads } from '#src/entrances/web/uploads.ts';
import { lastOfEach, validUrls } from '#src/entrances/web/valid_urls.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';
import { Readiness } from '#src/platform/lifecycle/readiness.ts';
import { type BudgetLimits, DEFAULT_BUDGET } from '#src/platform/limits/budget.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { reporter } from '#src/platform/observability/report.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';
import { type ImportSettings, importSettings } from '#src/platform/outbound/options.ts';
import { packageRevision, packageVersion } from '#src/platform/package_root.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface AppOptions {
  db: Db;
  /** Key material for encrypted columns. */
  secret: string;
  jobs: JobQueue;
  /** What administrators can have the process do; nothing when absent. */
  tools?: ServerTools | undefined;
  repositories: RepositoryStore;
  uploads: UploadStore;
  /** Where projects may be imported from; public hosts only when absent. */
  imports?: ImportSettings | undefined;
  /** Base of all URLs in responses; derived from each request when absent. No trailing slash. */
  externalUrl?: string | undefined;
  /** URL at which the server listens, known once it does; the OAuth issuer when there is no external URL. */
  listeningUrl?: (() => string) | undefined;
  /** As in Express. */
  trustProxy?: boolean | number | string | undefined;
  /** Limits of a request to /graphql; sensible defaults when absent. */
  graphqlLimits?: Partial<Limits> | undefined;
  /** The only GraphQL documents that are executed, by hash; any document when absent. */
  trustedDocuments?: ReadonlyMap<string, string> | undefined;
  /** Limits of one operation; sensible defaults when absent. */
  budget?: Partial<BudgetLimits> | undefined;
  /** Limits concurrent git clients, shared with SSH; a separate one when absent. */
  gitConcurrency?: CallerSemaphore | undefined;
  /** The address for git over SSH; SSH is turned off when absent. */
  sshAddress?: (() => SshPlace) | undefined;
  /** Addresses and networks that may read the metrics without a credential; none when absent. */
  metricsAddresses?: readonly string[] | undefined;
  /** Whether to compress responses for clients that accept it; true when absent. */
  compression?: boolean | undefined;
  /** Whether clients of OAuth register themselves (RFC 7591); true when absent. */
  clientRegistration?: boolean | undefined;
  log?: Logger | undefined;
  /** Whether the server is ready; judged by the database alone when absent. */
  readiness?: Readiness | undefined;
  /** Notifies subscriptions of changes; there are no subscriptions when absent. */
  listener?: Listener | undefined;
  /** Limits of subscriptions; sensible defaults when absent. */
  liveLimits?: Partial<LiveLimits> | undefined;
  /** Receives the handler of WebSocket connections. */
  upgrades?: Upgrades | undefined;
  /** Aborted when subscriptions must end because the server stops. */
  stopping?: AbortSignal | undefined;
}

/** Bytes that an upload to /graphql may have in addition to its file; all that an anonymous one may have. */
const BESIDE_UPLOAD = 1024 * 1024;
const MAX_UNKNOWN_UPLOAD = 1024 * 1024;

/** Size in bytes from which requests to /graphql are answered one at a time, as each is held in memory. */
const LARGE_UPLOAD = 8 * 1024 * 1024;

/** Concurrent requests of one caller; further ones wait without delaying other callers. */
const TURNS = { concurrency: 100, perCaller: 6, waitingPerCaller: 200, waiting: 2_000, patience: 30_000 };

/** Milliseconds within which the body of a request must arrive; pushes of git have their own limits. */
const BODY_TIMEOUT = 5 * 60_000;

/** How much of a body is still read after its response. */
const UNREAD = { bytes: 16 * 1024 * 1024, milliseconds: 10_000 };

/** Milliseconds after which a client that reads none of its response is disconnected. */
const STALLED = 60_000;

/** The OpenAPI document and the GraphQL schema as text, for tools. */
const openapi = new PublicText('rest/openapi.json', 'application/json');
const sdl = new PublicText('schema/schema.graphql', 'text/plain; charset=utf-8');

/** Creates the whole server as an Express application: health, /graphql and /api/v4. */
export function createApp({
  db,
  secret,
  jobs,
  tools,
  repositories,
  uploads,
  imports = importSettings(),
  externalUrl,
  listeningUrl,
  trustProxy,
  graphqlLimits,
  trustedDocuments,
  budget: givenBudget,
  gitConcurrency = gitSemaphore(),
  sshAddress = () => null,
  metricsAddresses = [],
  compression = true,
  clientRegistration = true,
  log,
  readiness = new Readiness(db, undefined),
  listener,
  liveLimits,
  upgrades,
  stopping,
}: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy ?? false);
  app.set('query parser', lastOfEach);
  const server = { version: packageVersion(), revision: packageRevision() };
  const baseUrl = (request: IncomingMessage) => externalUrl ?? requestUrl(request as Request);
  const stores = { db, secret, jobs, followers: FOLLOWERS, repositories, uploads, imports };
  const domainContext = (actor: Actor | null, request: IncomingMessage) => {
    const { ip = null, res: answer } = request as Request;
    noteCaller(request, actor);
    return { ...stores, tools, actor, clientAddress: ip, answer };
  };
  const contextAt = async (context: Context, url: string) => {
    const { avatarServiceEnabled } = await currentSettings(db);
    return graphqlContext(context, { ...server, baseUrl: url, ssh: sshAddress(), avatars: avatarServiceEnabled });
  };
  const contextOf = (actor: Actor | null, request: IncomingMessage) =>
    contextAt(domainContext(actor, request), baseUrl(request));
  const report = reporter(log, 'unexpected error');

  app.use(requestLog(log));
  app.use((request, response, next) => {
    // Time limits, the log and streams all wait for the end of an answer: Node warns of more than ten.
    response.setMaxListeners(20);
    response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    // Managers of git's credentials ask so what kind of server it is.
    if (request.method === 'HEAD') response.setHeader('X-Gitlab-Feature-Category', 'source_code_management');
    next();
  });
  app.use(bodyArrival(BODY_TIMEOUT, mayTakeLong, UNREAD));
  app.use(endStalled(STALLED));
  app.use(keepNoConnection(readiness));
  app.use(health(readiness));
  if (compression) app.use(compressAnswers());
  app.use(validUrls());

  const throttle = new RequestThrottle(db);
  app.use((request, response, next) => {
    if (!isProtected(request.method, request.path)) return next();
    throttle.count('unauthenticated_protected_paths', null, request, response).then((goesOn) => goesOn && next(), next);
  });
  const budget = { ...DEFAULT_BUDGET, ...givenBudget };
  const turns = new CallerSemaphore(TURNS);
  const identify = (request: IncomingMessage, parameters: Record<string, unknown>) => {
    const session = sessionForReads(request as Request, baseUrl);
    return authenticate(db, { ...readCredentials(request.headers, parameters), session });
  };
  const entrance = { stores, baseUrl, report, budget, turns, throttle, identify, domainContext, contextAt, contextOf };
  const readBody: RunnerProtocolOptions['readBody'] = (request, bytes, file) =>
    bodyParameters(request, { bytes, file });
  app.use(
    '/api/v4',
    runnerProtocol({
      stores,
      baseUrl,
      sshAddress,
      queue: new QueueWatch(listener),
      readBody,
      sendContent: sendRaw,
      report,
    }),
  );
  serveRest(app, entrance);

  const execute: ServeOptions['execute'] = async (document, variableValues, { context, baseUrl: url, request }) => {
    const contextValue = await contextAt(context, url);
    const purpose = request.method === 'POST' ? null : 'read';
    const execution = { schema, document, variableValues, contextValue, comesAgain: true, purpose } as const;
    return turns.run(callerOf(context.actor, request.ip ?? null), () => executeWithin(execution, report, budget));
  };
  const readers: Record<Parameters<ServeOptions['send']>[0], (context: Context, found: object) => Promise<RawContent>> =
    {
      blob: (context, found) => readPageBlob(context, found as RawBlob),
      archive: (context, found) => readArchiveWithObjects(context, { ...(found as RawArchive), withLfsObjects: true }),
      trace: (context, found) => readRawTrace(context, found as RawTrace),
      artifact: (context, found) => readPageArtifactFile(context, found as ArtifactFile),
      artifacts: (context, found) => readRawArtifacts(context, found as RawArtifacts),
      data_export: (context) => readDataExport(context),
      export: (context, found) => readRawExport(context, found as { id: number }),
    };
  const sendContent: ServeOptions['send'] = async (content, found, { context, request, response }) => {
    await sendRaw(await readers[content](context, found), request, response);
  };
  const identifyVisitor = (request: Request) => identify(request, request.query);
  const ofReader: ServeOptions['identify'] = async (visit) => {
    const actor = visit.session ? null : await identifyVisitor(visit.request);
    return actor ? { ...visit, context: domainContext(actor, visit.request) } : visit;
  };
  const countVisit: PageOptions['throttle'] = (actor, request, response) => throttle.web(actor, request, response);
  const site = pages({ contextOf: domainContext, baseUrl, report, sshAddress, throttle: countVisit }, (made) =>
    servePages(rows, made, { schema, execute, send: sendContent, identify: ofReader }),
  );
  app.get(['/graphql', '/api/graphql'], site.graphiql);
  app.get(['/graphql/schema.graphql', '/api/graphql/schema.graphql'], (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    return sdl.send(request, response);
  });

  serveGraphQL(app, { ...entrance, graphqlLimits, trustedDocuments, listener, liveLimits, upgrades, stopping });
  serveMcp(app, { ...entrance, version: server.version, log });
  app.use(metrics({ db, addresses: metricsAddresses, authenticate: (request) => identify(request, {}) }));
  app.use('/api/v3', (_request, response) => {
    response.status(410).json({ error: 'API version 3 is not served. Use /api/v4' });
  });
  app.use(serveAvatars(db));
  app.use(serveUploads({ contextOf: domainContext, authenticate: identifyVisitor }));
  app.use(goGet({ contextOf: domainContext, baseUrl, sshAddress, report }));
  app.use(serveRawSnippets({ contextOf: domainContext, authenticate: identifyVisitor, sendContent: sendRaw }));
  app.use(gitRemote({ contextOf: domainContext, baseUrl, report, gitConcurrency }));
  app.use(lfsRemote({ contextOf: domainContext, baseUrl, report, gitConcurrency }));
  app.use(containerRegistry({ contextOf: domainContext, baseUrl, sendContent: sendRaw, report }));
  const issuer = () => externalUrl ?? listeningUrl?.() ?? 'http://localhost';
  const oauthOptions: OAuthOptions = {
    db,
    secret,
    contextOf: domainContext,
    baseUrl,
    sessionTokenOf: (request) => sessionToken(request, baseUrl),
    issuer,
    showRefusal: refusedAuthorization(site.options),
    ...(clientRegistration ? { registerClient: registerItself } : {}),
    report,
  };
  const provider = lazyProvider(oauthOptions);
  app.use(oauth(oauthOptions, provider), consentPages(site.options, provider), devicePages(site.options, provider));
  app.use(site.router, site.missing);
  app.use(broken(site.options));
  return app;
}

/** What serving the two APIs needs. */
interface Entrance {
  stores: Pick<Context, 'db' | 'secret' | 'jobs' | 'followers' | 'repositories' | 'uploads' | 'imports'>;
  /** Without a trailing slash. */
  baseUrl(request: IncomingMessage): string;
  report(error: unknown): void;
  budget: BudgetLimits;
  turns: CallerSemaphore;
  throttle: RequestThrottle;
  /** Identifies the caller of a REST request. */
  identify(request: IncomingMessage, parameters: Record<string, unknown>): Promise<Actor | null>;
  domainContext(actor: Actor | null, request: IncomingMessage): Context;
  /** The context of resolvers, for a caller and the server's URL. */
  contextAt(context: Context, url: string): Promise<GraphQLContext>;
  contextOf(actor: Actor | null, request: IncomingMessage): Promise<GraphQLContext>;
}

/** Serves the REST API at /api/v4. */
function serveRest(app: Express, entrance: Entrance): void {
  const { stores, baseUrl, report, budget, turns, throttle, identify, domainContext, contextOf } = entrance;
  const facade = createFacade<Actor>({
    schema,
    routes,
    openapi: (request, response) => openapi.send(request as Request, response as Response),
    authenticate: (request, parameters, { route, ref }) => {
      const { headers } = request;
      const password = route.basic ? readBasic(headers.authorization)?.password : undefined;
      const given = password ? { private_token: password, ...parameters } : parameters;
      const findUser = () => {
        const found = identify(request, given);
        if (route.purpose !== 'rotate_token') return found;
        return found.finally(() => endFamilyOf(stores.db, readCredentials(headers, given)));
      };
      const accepted = { ...route, project: ref as IdOrPath | undefined };
      return bearerOrUser(stores.db, { headers, parameters, password }, accepted, findUser);
    },
    exposed: THROTTLE_HEADERS,
    throttle: (actor, request, response) => throttle.api(actor, request, response),
    admit: (actor, { route }) => {
      if (route.method !== 'GET' && !route.reads)
        requireApiScope(actorFor(actor, route.purpose as Purpose | undefined));
    },
    precheck: (actor, ability, ref, endpoint, request) =>
      precheck(domainContext(actorFor(actor, purposeOf(endpoint)), request), ability as Precheck, ref as IdOrPath),
    execute: async (endpoint, variableValues, actor, request) => {
      const { document } = endpoint;
      const contextValue = await contextOf(actor, request);
      const purpose = purposeOf(endpoint) ?? null;
      return executeWithin(
        { schema, document, variableValues, contextValue, comesAgain: true, purpose },
        report,
        budget,
      );
    },
    read: async (reader, found, actor, endpoint, request) => {
      if (reader === 'text') return plainText('changes.diff', (found as { text: string }).text);
      const context = domainContext(actorFor(actor, purposeOf(endpoint)), request);
      if (reader === 'upload') return readRawUpload(context, found as { id: number });
      if (reader === 'project_export') return readRawExport(context, found as { id: number });
      if (reader === 'group_avatar') return readRawGroupAvatar(context, found as { id: number });
      if (reader === 'project_avatar') return readRawProjectAvatar(context, found as { id: number });
      if (reader === 'package') return readRawPackageFile(context, found as RawPackageFile);
      if (reader === 'artifact') return readRawArtifactFile(context, found as ArtifactFile);
      if (reader === 'artifacts') return readRawArtifacts(context, found as RawArtifacts);
      if (reader === 'trace') return readRawTrace(context, found as RawTrace);
      if (reader === 'blob') return readRawFile(context, found as RawFile);
      if (reader === 'snippet') return readRawSnippet(context, found as RawSnippet);
      return readArchiveWithObjects(context, found as RawArchive & { withLfsObjects: boolean });
    },
    receive: (actor, endpoint, request, { ref, values }) => {
      const context = domainContext(actorFor(actor, purposeOf(endpoint)), request);
      return receivePackageFile(context, ref as IdOrPath, request as Request, values.get('file_name') ?? '');
    },
    turns,
    matched: noteRoute,
    callerOf: (actor, request) => callerOf(actor, (request as Request).ip ?? null),
    readsAreOpen: async () => (await currentSettings(stores.db)).anonymousApiReads,
    largestContent: () => stores.repositories.maxInlineBytes,
    largestFile: async ({ archive }) =>
      archive ? largestImport(stores) : (await currentSettings(stores.db)).maxAttachmentSize * 1024 * 1024,
    baseUrl,
    logError: report,
    transientFailure: (error) => transientFailure(error)?.refusal ?? null,
  });
  app.use('/api/v4', (request, response) => {
    const mark = request.url.indexOf('?');
    const path = mark < 0 ? request.url : request.url.slice(0, mark);
    return facade(request, response, path, mark < 0 ? '' : request.url.slice(mark + 1));
  });
}

/** The purpose of a route's requests; undefined where they change something. */
function purposeOf({ route }: Endpoint): Purpose | undefined {
  if (route.purpose) return route.purpose as Purpose;
  if (route.method !== 'GET' && !route.reads) return undefined;
  return route.filesOfRepository ? 'read_files' : 'read';
}

type GraphQLEntrance = Entrance &
  Pick<AppOptions, 'graphqlLimits' | 'trustedDocuments' | 'listener' | 'liveLimits' | 'upgrades' | 'stopping'>;

/** Serves GraphQL at /graphql: over HTTP, Server-Sent Events and WebSocket. */
function serveGraphQL(
  app: Express,
  { stores, baseUrl, report, budget, turns, throttle, contextAt, contextOf, ...options }: GraphQLEntrance,
): void {
  const { db, repositories } = stores;
  const { graphqlLimits, trustedDocuments, listener, liveLimits, upgrades, stopping } = options;
  const limits = { ...DEFAULT_LIMITS, ...graphqlLimits };
  const credentialsOf = (request: IncomingMessage) => {
    const session = sessionForOwnPages(request as Request, baseUrl);
    const { access_token, bearer_token } = (request as Request).query;
    return { ...readCredentials(request.headers, { access_token, bearer_token }), session };
  };
  const callerFor = remembered((request) => authenticate(db, credentialsOf(request)));
  const live = {
    hub: listener ? new Hub({ db, listener, report }) : null,
    limits: { ...DEFAULT_LIVE_LIMITS, ...liveLimits },
    callers: {
      credentialsOf,
      authenticate: (credentials: Credentials) => authenticate(db, credentials),
      baseUrlOf: baseUrl,
      addressOf: (request: IncomingMessage) => (request as Request).ip ?? null,
      contextFor: ({ actor, baseUrl: url }: Pick<LiveCaller, 'actor' | 'baseUrl'>, clientAddress: string | null) =>
        contextAt({ ...stores, actor, clientAddress }, url),
    },
  };
  // A fifth of all modules serve GraphQL only: they are loaded by the first request, or by main.ts once it listens.
  let loading: Promise<ReturnType<typeof createGraphQLServer>> | undefined;
  const loadGraphQL = () => {
    loading ??= import('#schema/server.ts').then((server) =>
      server.createGraphQLServer({
        contextOf: async (request) => contextOf(await callerFor(request), request),
        report,
        limits,
        budget,
        turns,
        trustedDocuments,
        live,
      }),
    );
    return loading;
  };
  const loadWebSockets = async () => {
    const [{ WebSockets }, graphql] = await Promise.all([
      import('#schema/subscriptions/web_sockets.ts'),
      loadGraphQL(),
    ]);
    const { subscribing, prepare, execute } = graphql;
    return new WebSockets({ ...live, subscribing, prepare, execute, messageBytes: limits.bytes });
  };
  const webSockets = openLate(loadWebSockets, report);
  upgrades?.serve((request, socket, head) => {
    // As Express does for the requests that it handles.
    Object.setPrototypeOf(request, app.request);
    webSockets.accept(request, socket, head);
  });
  stopping?.addEventListener('abort', () => {
    webSockets.stop();
    live.hub?.stop();
  });
  const graphqlBody = bodyLimit(async (request) => {
    if (!request.is('multipart/form-data')) return limits.bytes;
    const known = await callerFor(request).catch(() => null);
    return known ? Math.max(LARGE_UPLOAD, repositories.maxInlineBytes + BESIDE_UPLOAD) : MAX_UNKNOWN_UPLOAD;
  });
  const whoSends = async (request: Request) => callerOf(await callerFor(request), request.ip ?? null);
  const answer = largeUploads(LARGE_UPLOAD, whoSends, async (request, response) => {
    request.url = `/graphql${request.url.replace(/^\/+/, '')}`;
    request.originalUrl = request.url;
    const graphql = await loadGraphQL();
    await graphql(request, response);
  });
  const count: RequestHandler = async (request, response, next) => {
    const actor = await callerFor(request).catch(() => null);
    if (request.method === 'OPTIONS' || (await throttle.api(actor, request, response))) next();
  };
  app.use(['/graphql', '/api/graphql'], count, graphqlBody, answer);
}

/** Serves the Model Context Protocol at /mcp. Few requests need it: it is loaded by the first one. */
function serveMcp(
  app: Express,
  {
    stores,
    baseUrl,
    report,
    budget,
    turns,
    throttle,
    contextOf,
    ...options
  }: Entrance & { version: string } & Pick<AppOptions, 'log'>,
): void {
  const load = async () => {
    const [{ createMcp }, { tools }] = await Promise.all([import('#mcp/engine/serve.ts'), import('#mcp/tools.ts')]);
    return createMcp<Actor>({
      schema,
      tools,
      version: options.version,
      authenticate: (request) => authenticate(stores.db, readCredentials(request.headers)),
      throttle: (actor, request, response) => throttle.api(actor, request, response),
      admit: (actor) => requireApiScope(actorFor(actor, 'read')),
      mayWrite: reachesApi,
      execute: async (actor, request, document, variableValues, reads) => {
        const contextValue = await contextOf(actor, request);
        const purpose = reads ? 'read' : null;
        const execution = { schema, document, variableValues, contextValue, comesAgain: true, purpose } as const;
        const caller = callerOf(actor, (request as Request).ip ?? null);
        return turns.run(caller, () => executeWithin(execution, report, budget));
      },
      metadataUrl: (request) => `${baseUrl(request)}${PROTECTED_RESOURCE}/mcp`,
      called: (request, { tool, ms, failed }) => {
        const { id, callerId } = request as Request;
        options.log?.info({ id, user: callerId, tool, ms: Math.round(ms * 10) / 10, failed }, 'tool call');
      },
      report,
      transientFailure: (error) => transientFailure(error)?.refusal ?? null,
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  app.all('/mcp', async (request, response, next) => {
    // A user who had this name before it was reserved keeps the page.
    if (request.method === 'GET' && wantsPage(request)) return next();
    loading ??= load();
    await (await loading)(request, response);
  });
}

/** Caches a result per request. */
function remembered<Answer>(find: (request: IncomingMessage) => Promise<Answer>): typeof find {
  const found = new WeakMap<IncomingMessage, Promise<Answer>>();
  return (request) => {
    const answer = found.get(request) ?? find(request);
    found.set(request, answer);
    return answer;
  };
}

/** The server's URL as the client used it; forwarded headers count if the proxy is trusted. */
function requestUrl(request: Request): string {
  const host = request.host;
  return `${request.protocol}://${/^[\w.:[\]-]+$/.test(host ?? '') ? host : 'localhost'}`;
}

/** Whether the body at this path may take long to arrive, and is watched by those who read it. */
function mayTakeLong(path: string): boolean {
  const receivers = [isGitPath, isLfsObjectPath, isContainerUploadPath, isArtifactsPath, isPackagePath];
  return receivers.some((takesLong) => takesLong(path));
}
