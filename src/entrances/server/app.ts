import express, { type Express, type Request, type RequestHandler } from 'express';
import { sendRaw } from '#rest/engine/raw.ts';
import { lazyProvider } from '#src/access/oauth/lazy.ts';
import { oauth } from '#src/access/oauth/mount.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { registerItself } from '#src/domain/applications/register_itself.ts';
import { gitSemaphore } from '#src/domain/repository/remote/git_concurrency.ts';
import type { AppOptions } from '#src/entrances/server/app_options.ts';
import { createEntrance } from '#src/entrances/server/entrance.ts';
import { mountCompat } from '#src/entrances/server/mount_compat.ts';
import { mountGraphQL } from '#src/entrances/server/mount_graphql.ts';
import { mountMcp } from '#src/entrances/server/mount_mcp.ts';
import { mountPages } from '#src/entrances/server/mount_pages.ts';
import { mountRest } from '#src/entrances/server/mount_rest.ts';
import { isProtected } from '#src/entrances/server/throttle.ts';
import { bodyTimeout } from '#src/entrances/web/body_timeout.ts';
import { closeStalled } from '#src/entrances/web/close_stalled.ts';
import { compressAnswers } from '#src/entrances/web/compress.ts';
import { containerRegistry, isContainerUploadPath } from '#src/entrances/web/container_registry.ts';
import { gitRemote, isGitPath } from '#src/entrances/web/git_remote.ts';
import { goGet } from '#src/entrances/web/go_get.ts';
import { closeWhenDraining, health } from '#src/entrances/web/health.ts';
import { isLfsObjectPath, lfsRemote } from '#src/entrances/web/lfs_remote.ts';
import { metrics } from '#src/entrances/web/metrics.ts';
import { serveAppearance } from '#src/entrances/web/pages/appearance.ts';
import { serveAvatars } from '#src/entrances/web/pages/avatars.ts';
import { broken } from '#src/entrances/web/pages/broken.ts';
import { consentPages } from '#src/entrances/web/pages/consent.ts';
import { devicePages } from '#src/entrances/web/pages/device.ts';
import { refusedAuthorization } from '#src/entrances/web/pages/refused_authorization.ts';
import { PublicText } from '#src/entrances/web/public_text.ts';
import { serveRawSnippets } from '#src/entrances/web/raw_snippets.ts';
import { isPackagePath } from '#src/entrances/web/receive_package.ts';
import { requestLog } from '#src/entrances/web/request_log.ts';
import { isArtifactsPath } from '#src/entrances/web/runner_artifacts.ts';
import { sessionToken } from '#src/entrances/web/session_token.ts';
import { askForHost } from '#src/entrances/web/sites/ask.ts';
import { serveSites } from '#src/entrances/web/sites/serve.ts';
import { serveUploads } from '#src/entrances/web/uploads.ts';
import { lastOfEach, validUrls } from '#src/entrances/web/valid_urls.ts';
import { Readiness } from '#src/platform/lifecycle/readiness.ts';

/** Milliseconds within which the body of a request must arrive; pushes of git have their own limits. */
const BODY_TIMEOUT_MS = 5 * 60_000;

/** How much of a body is still read after its response. */
const DRAIN_LIMITS = { bytes: 16 * 1024 * 1024, milliseconds: 10_000 };

/** Milliseconds after which a client that reads none of its response is disconnected. */
const STALL_TIMEOUT_MS = 60_000;

/** The GraphQL schema as text, for tools. */
const sdl = new PublicText('schema/schema.graphql', 'text/plain; charset=utf-8');

/** Creates the whole server as an Express application: what it consists of, in the order in which requests come to it. */
export function createApp(options: AppOptions): Express {
  const { db, readiness = new Readiness(db, undefined), gitConcurrency = gitSemaphore(), log } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', options.trustProxy ?? false);
  app.set('query parser', lastOfEach);
  const entrance = createEntrance(options);
  const { baseUrl, report, throttle, sshAddress, identify, domainContext: contextOf } = entrance;

  app.use(requestLog(log));
  app.use(commonHeaders);
  app.use(bodyTimeout(BODY_TIMEOUT_MS, mayTakeLong, DRAIN_LIMITS));
  app.use(closeStalled(STALL_TIMEOUT_MS));
  app.use(closeWhenDraining(readiness));
  if (options.sites) {
    const { sites: settings, sitesMemory: memory } = options;
    app.use(askForHost(db, settings));
    app.use(serveSites({ db, uploads: options.uploads, settings, memory, contextOf, report }));
  }
  app.use(health(readiness));
  if (options.compression ?? true) app.use(compressAnswers());
  app.use(validUrls());
  app.use((request, response, next) => {
    if (!isProtected(request.method, request.path)) return next();
    throttle.count('unauthenticated_protected_paths', null, request, response).then((goesOn) => goesOn && next(), next);
  });

  mountRest(app, entrance, options);
  const site = mountPages(entrance, options.examples);
  app.get('/graphql', site.graphiql);
  app.get('/graphql/schema.graphql', (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    return sdl.send(request, response);
  });
  mountGraphQL(app, entrance, options);
  mountCompat(app, entrance);
  mountMcp(app, entrance, log);
  const { metricsAddresses = [] } = options;
  app.use(metrics({ db, addresses: metricsAddresses, authenticate: (request) => identify(request, {}) }));
  app.use('/api/v3', (_request, response) => {
    response.status(410).json({ error: 'API version 3 is not served. Use /api/v4' });
  });

  const authenticate = (request: Request) => identify(request, request.query);
  app.use(serveAvatars(db));
  app.use(serveAppearance(db));
  app.use(serveUploads({ contextOf, authenticate }));
  app.use(goGet({ contextOf, baseUrl, sshAddress, report }));
  app.use(serveRawSnippets({ contextOf, authenticate, sendContent: sendRaw }));
  app.use(gitRemote({ contextOf, baseUrl, report, gitConcurrency }));
  app.use(lfsRemote({ contextOf, baseUrl, report, gitConcurrency }));
  app.use(containerRegistry({ contextOf, baseUrl, sendContent: sendRaw, report }));

  const { externalUrl, listeningUrl, clientRegistration = true } = options;
  const oauthOptions: OAuthOptions = {
    db,
    secret: options.secret,
    contextOf,
    baseUrl,
    sessionTokenOf: (request) => sessionToken(request, baseUrl),
    issuer: () => externalUrl ?? listeningUrl?.() ?? 'http://localhost',
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

const commonHeaders: RequestHandler = (request, response, next) => {
  // Time limits, the log and streams all wait for the end of an answer: Node warns of more than ten.
  response.setMaxListeners(20);
  response.setHeader('X-Frame-Options', 'SAMEORIGIN');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // Managers of git's credentials ask so what kind of server it is.
  if (request.method === 'HEAD') response.setHeader('X-Gitlab-Feature-Category', 'source_code_management');
  next();
};

/** Whether the body at this path may take long to arrive, and is watched by those who read it. */
function mayTakeLong(path: string): boolean {
  const receivers = [isGitPath, isLfsObjectPath, isContainerUploadPath, isArtifactsPath, isPackagePath];
  return receivers.some((takesLong) => takesLong(path));
}
