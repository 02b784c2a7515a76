import { type Request, type RequestHandler, type Response, Router } from 'express';
import { GRANT_TYPES, NO_APPLICATION, scopeUnsaid } from '#src/access/oauth/clients.ts';
import { readForm, Unreadable, withForm } from '#src/access/oauth/form.ts';
import type { LazyProvider } from '#src/access/oauth/lazy.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { PROTECTED_RESOURCE, protectedResource } from '#src/access/oauth/protected_resource.ts';
import { preflight, REGISTRATION, register } from '#src/access/oauth/registration.ts';
import { tokenInfo } from '#src/access/oauth/token_info.ts';
import { unknownScopes } from '#src/access/oauth/unknown_scopes.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** The endpoints of OAuth 2.0 (rest-api-v4.md, Authentication) and OpenID Connect. */
export function oauth(options: OAuthOptions, provider: LazyProvider): Router {
  const router = Router();
  const serve = handler(options, async (request, response) => provider.answer(request, response));
  const post = [open, handler(options, (request, response) => answerForm(options, provider, request, response))];

  router.use(['/oauth', '/.well-known'], guard);
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/oauth/keys']) {
    router.get(path, keep, serve).options(path, serve);
  }
  for (const path of ['', '/mcp'] as const) {
    router.get(PROTECTED_RESOURCE + path, keep, open, handler(options, protectedResource(options, path)));
  }
  // The name that clients know from elsewhere.
  router.get('/oauth/discovery/keys', keep, (request, response, next) => {
    request.url = '/oauth/keys';
    request.originalUrl = request.url;
    serve(request, response, next);
  });
  router.get('/oauth/authorize', handler(options, withScope(options)), serve);
  router.get('/oauth/authorize/:uid', serve);
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect', DEVICE]) {
    router.post(path, ...post).options(path, serve);
  }
  if (options.registerClient) {
    router.post(REGISTRATION, open, handler(options, register(options, options.registerClient)));
    router.options(REGISTRATION, open, preflight);
  }
  router.get('/oauth/userinfo', serve).post('/oauth/userinfo', serve).options('/oauth/userinfo', serve);
  router.get('/oauth/token/info', open, handler(options, tokenInfo(options)));
  return router;
}

/** Responses are not cached, not framed by other sites, and not revealed to them as referrers. */
const guard: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  next();
};

/** For public documents that seldom change. */
const keep: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'public, max-age=300');
  next();
};

/** CORS for scripts of any site. */
const open: RequestHandler = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*');
  response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate');
  response.setHeader('Vary', 'Origin');
  next();
};

function handler(
  { report, showRefusal }: OAuthOptions,
  answer: (request: Request, response: Response, next: () => void) => Promise<unknown>,
): RequestHandler {
  return async (request, response, next) => {
    try {
      await answer(request, response, next);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!(error instanceof Unreadable)) report(error, request);
      if (response.headersSent) return void response.destroy();
      if (request.path === '/oauth/authorize' && (await showRefusal(request, response, refusal))) return;
      if (refusal.retryAfter !== undefined) response.setHeader('Retry-After', String(refusal.retryAfter));
      refuse(response, refusal.status, refusal.error, refusal.message);
    }
  };
}

/** The response to an error, as in RFC 6749. */
function refusalOf(error: unknown): { status: number; error: string; message: string; retryAfter?: unknown } {
  if (error instanceof Unreadable) return { status: 400, error: 'invalid_request', message: error.message };
  const passes = transientFailure(error)?.refusal;
  if (!passes) return { status: 500, error: 'server_error', message: 'Something went wrong on our side.' };
  const { retryAfter } = passes.extensions;
  return { status: 503, error: 'temporarily_unavailable', message: passes.message, retryAfter };
}

/** Without `scope` an application requests everything that it may have. */
function withScope({ db }: OAuthOptions) {
  return async (request: Request, _response: Response, next: () => void): Promise<void> => {
    const { scope, client_id: uid } = request.query;
    if (/%00/.test(request.url)) throw new Unreadable('The request contains a NUL character.');
    if (scope === undefined || scope === '') {
      const url = new URL(request.url, 'http://here.invalid');
      url.searchParams.set('scope', await scopeUnsaid(db, uid));
      request.url = url.pathname + url.search;
      request.originalUrl = request.url;
    }
    next();
  };
}

/** Has the provider handle a request whose parameters are in a form, in JSON or in the query. */
async function answerForm(
  { db }: OAuthOptions,
  provider: LazyProvider,
  request: Request,
  response: Response,
): Promise<void> {
  const form = await readForm(request);
  const isForToken = request.path === '/oauth/token';
  if (isForToken && form.getAll('grant_type').some((type) => type !== '' && !GRANT_TYPES.includes(type))) {
    // Whatever the client: no grant type here requires it to authenticate.
    return refuse(response, 400, 'unsupported_grant_type', `grant_type is none of ${GRANT_TYPES.join(', ')}`);
  }
  const isForDevice = request.path === DEVICE;
  if (isForDevice && !form.get('scope')) form.set('scope', await scopeUnsaid(db, uidIn(form, request)));
  const unknown = isForToken || isForDevice ? unknownScopes(form.get('scope') ?? '') : [];
  if (unknown.length > 0) {
    return refuse(response, 400, 'invalid_scope', `there is no scope ${JSON.stringify(unknown[0]?.slice(0, 50))}`);
  }
  const named = form.has('client_id') || request.headers.authorization !== undefined;
  // Users can still sign in with a password without an application, and use the resulting tokens.
  if (!named && WITHOUT_APPLICATION.has(form.get('grant_type') ?? request.path)) form.set('client_id', NO_APPLICATION);
  await provider.answer(withForm(request, form), response);
}

const DEVICE = '/oauth/authorize_device';

/** The ID of the application of a request, in its form or its header. */
function uidIn(form: URLSearchParams, { headers }: Request): string {
  const [, basic = ''] = /^Basic (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return form.get('client_id') ?? Buffer.from(basic, 'base64').toString('utf8').split(':', 1)[0] ?? '';
}

const WITHOUT_APPLICATION = new Set(['password', 'refresh_token', '/oauth/revoke']);

function refuse(response: Response, status: number, error: string, description: string): void {
  response.status(status).json({ error, error_description: description });
}
