import type { Express, Request, RequestHandler } from 'express';
import { DEFAULT_LIMITS } from '#schema/limits.ts';
import type { createGraphQLServer } from '#schema/server.ts';
import { authenticate, type Credentials } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { deprecatedUsesOf } from '#src/domain/administration/deprecated_uses.ts';
import { SubscriptionHub } from '#src/domain/live/hub.ts';
import type { LiveCaller } from '#src/domain/live/subscriber.ts';
import { DEFAULT_LIVE_LIMITS } from '#src/domain/live/subscription_quota.ts';
import type { AppOptions } from '#src/entrances/server/app_options.ts';
import type { Entrance } from '#src/entrances/server/entrance.ts';
import { bodyLimit } from '#src/entrances/web/body_limit.ts';
import { largeUploads } from '#src/entrances/web/large_uploads.ts';
import { noteGraphQL } from '#src/entrances/web/request_facts.ts';
import { sessionForOwnPages } from '#src/entrances/web/session_token.ts';
import { lazyUpgrade } from '#src/entrances/web/upgrades.ts';

/** Bytes that an upload may have in addition to its file; all that an anonymous one may have. */
const MULTIPART_OVERHEAD = 1024 * 1024;
const MAX_UNKNOWN_UPLOAD = 1024 * 1024;

/** Size in bytes from which requests are answered one at a time, as each is held in memory. */
const LARGE_UPLOAD = 8 * 1024 * 1024;

type GraphQLOptions = Pick<
  AppOptions,
  'graphqlLimits' | 'trustedDocuments' | 'listener' | 'liveLimits' | 'upgrades' | 'stopping'
>;

/** Serves GraphQL at /graphql: over HTTP, Server-Sent Events and WebSocket. */
export function mountGraphQL(
  app: Express,
  { stores, baseUrl, report, budget, turns, throttle, contextAt, contextOf }: Entrance,
  { graphqlLimits, trustedDocuments, listener, liveLimits, upgrades, stopping }: GraphQLOptions,
): void {
  const { db, repositories } = stores;
  const limits = { ...DEFAULT_LIMITS, ...graphqlLimits };
  const credentialsOf = (request: Request) => {
    const session = sessionForOwnPages(request, baseUrl);
    const { access_token, bearer_token } = request.query;
    return { ...readCredentials(request.headers, { access_token, bearer_token }), session };
  };
  const callerFor = oncePerRequest((request: Request) => authenticate(db, credentialsOf(request)));
  const live = {
    hub: listener ? new SubscriptionHub({ db, listener, report }) : null,
    limits: { ...DEFAULT_LIVE_LIMITS, ...liveLimits },
    callers: {
      credentialsOf,
      authenticate: (credentials: Credentials) => authenticate(db, credentials),
      baseUrlOf: baseUrl,
      addressOf: (request: Request) => request.ip ?? null,
      contextFor: ({ actor, baseUrl: url }: Pick<LiveCaller, 'actor' | 'baseUrl'>, clientAddress: string | null) =>
        contextAt({ ...stores, actor, clientAddress }, url),
    },
  };
  // A fifth of all modules serve GraphQL only: they are loaded by the first request, or by main.ts once it listens.
  let loading: Promise<ReturnType<typeof createGraphQLServer>> | undefined;
  const loadGraphQL = () => {
    loading ??= import('#schema/server.ts').then((server) =>
      server.createGraphQLServer({
        contextOf: async (request: Request) => contextOf(await callerFor(request), request),
        report,
        limits,
        budget,
        turns,
        trustedDocuments,
        live,
        uses: deprecatedUsesOf(db),
        noteOperation: noteGraphQL,
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
  const webSockets = lazyUpgrade(loadWebSockets, report);
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
    return known ? Math.max(LARGE_UPLOAD, repositories.maxInlineBytes + MULTIPART_OVERHEAD) : MAX_UNKNOWN_UPLOAD;
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
  app.use('/graphql', count, graphqlBody, answer);
}

/** Caches a result per request. */
function oncePerRequest<Answer>(find: (request: Request) => Promise<Answer>): typeof find {
  const found = new WeakMap<Request, Promise<Answer>>();
  return (request) => {
    const answer = found.get(request) ?? find(request);
    found.set(request, answer);
    return answer;
  };
}
