import { type Request, type RequestHandler, type Response, Router } from 'express';
import { GRANT_TYPES, NO_APPLICATION, scopeUnsaid } from '#src/access/oauth/clients.ts';
import { readForm, Unreadable, withForm } from '#src/access/oauth/form.ts';
import type { LazyProvider } from '#src/access/oauth/lazy.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { tokenInfo } from '#src/access/oauth/token_info.ts';
import { unknownScopes } from '#src/access/oauth/unknown_scopes.ts';
import { passing } from '#src/platform/passing.ts';

/** The OAuth 2.0 endpoints (rest-api-v4.md, Authentication) and OpenID Connect's. */
export function oauth(options: OAuthOptions, provider: LazyProvider): Router {
  const router = Router();
  const serve = handler(options, async (request, response) => provider.answer(request, response));
  const post = [open, handler(options, (request, response) => answerForm(provider, request, response))];

  router.use(['/oauth', '/.well-known'], guard);
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/oauth/keys']) {
    router.get(path, keep, serve).options(path, serve);
  }
  router.get('/oauth/authorize', handler(options, withScope(options)), serve);
  router.get('/oauth/authorize/:uid', serve);
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
    router.post(path, ...post).options(path, serve);
  }
  router.get('/oauth/userinfo', serve).post('/oauth/userinfo', serve).options('/oauth/userinfo', serve);
  router.get('/oauth/token/info', open, handler(options, tokenInfo(options)));
  return router;
}

/** Nothing of this is kept by caches, framed by other sites, or told to them as where one came from. */
const guard: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  next();
};

/** What is public and seldom changes. */
const keep: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'public, max-age=300');
  next();
};

/** For scripts of any site. */
const open: RequestHandler = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*');
  response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate');
  response.setHeader('Vary', 'Origin');
  next();
};

function handler(
  { report }: OAuthOptions,
  answer: (request: Request, response: Response, next: () => void) => Promise<unknown>,
): RequestHandler {
  return async (request, response, next) => {
    try {
      await answer(request, response, next);
    } catch (error) {
      if (error instanceof Unreadable) return void refuse(response, 400, 'invalid_request', error.message);
      report(error, request);
      const passes = passing(error)?.refusal;
      if (response.headersSent) response.destroy();
      else if (passes) {
        response.setHeader('Retry-After', String(passes.extensions.retryAfter));
        refuse(response, 503, 'temporarily_unavailable', passes.message);
      } else refuse(response, 500, 'server_error', 'Something went wrong on our side.');
    }
  };
}

/** An application that does not say for what it asks means everything, or as much as it may have. */
function withScope({ db }: OAuthOptions) {
  return async (request: Request, _response: Response, next: () => void): Promise<void> => {
    const { scope, client_id: uid } = request.query;
    if (/%00/.test(request.url)) throw new Unreadable('text cannot hold the character NUL');
    if (scope === undefined || scope === '') {
      const url = new URL(request.url, 'http://here.invalid');
      url.searchParams.set('scope', await scopeUnsaid(db, uid));
      request.url = url.pathname + url.search;
      request.originalUrl = request.url;
    }
    next();
  };
}

/** Has the provider answer a request with parameters, be they in a form, in JSON or in the query. */
async function answerForm(provider: LazyProvider, request: Request, response: Response): Promise<void> {
  const form = await readForm(request, response);
  const isForToken = request.path === '/oauth/token';
  if (isForToken && form.getAll('grant_type').some((type) => type !== '' && !GRANT_TYPES.includes(type))) {
    // Whoever asks: there is nothing for which an application would have to prove itself.
    return refuse(response, 400, 'unsupported_grant_type', `grant_type is none of ${GRANT_TYPES.join(', ')}`);
  }
  const unknown = isForToken ? unknownScopes(form.get('scope') ?? '') : [];
  if (unknown.length > 0) {
    return refuse(response, 400, 'invalid_scope', `there is no scope ${JSON.stringify(unknown[0]?.slice(0, 50))}`);
  }
  const named = form.has('client_id') || request.headers.authorization !== undefined;
  // Without an application there are still users with passwords, and what they were given.
  if (!named && WITHOUT_APPLICATION.has(form.get('grant_type') ?? request.path)) form.set('client_id', NO_APPLICATION);
  await provider.answer(withForm(request, form), response);
}

const WITHOUT_APPLICATION = new Set(['password', 'refresh_token', '/oauth/revoke']);

function refuse(response: Response, status: number, error: string, description: string): void {
  response.status(status).json({ error, error_description: description });
}
