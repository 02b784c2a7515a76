import type { EventEmitter } from 'node:events';
import type { Request } from 'express';
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { CLAIMS, findAccount } from '#src/access/oauth/accounts.ts';
import { adapterFor } from '#src/access/oauth/adapter.ts';
import { DEVICE_CODE_LIFETIME, POLL_INTERVAL } from '#src/access/oauth/device_grant.ts';
import { guardFormPost } from '#src/access/oauth/form_post.ts';
import { rememberedScopes } from '#src/access/oauth/grants.ts';
import { promiseNoIssuer, QuietProvider } from '#src/access/oauth/issuer.ts';
import type { OAuthKeys } from '#src/access/oauth/keys.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { clientCredentialsGrant, passwordGrant } from '#src/access/oauth/own_grants.ts';
import { alwaysAsks, askingPolicy } from '#src/access/oauth/policy.ts';
import { REGISTRATION } from '#src/access/oauth/registration.ts';
import { sameSecret } from '#src/access/oauth/secrets.ts';
import { followSessions } from '#src/access/oauth/session.ts';
import { SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { DomainError } from '#src/platform/errors.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** What the provider is created from. */
export interface ProviderOptions extends Omit<OAuthOptions, 'issuer' | 'showRefusal'> {
  /** URL by which clients know this server, without a trailing slash. */
  issuer: string;
  keys: OAuthKeys;
  /** Answers a request that has an error and cannot be redirected. */
  refuse(request: Request, ctx: KoaContextWithOIDC, error: { error: string; error_description?: string }): void;
}

/** Lifetimes in seconds. */
const LIVES = {
  AccessToken: 7200,
  ClientCredentials: 7200,
  /** RFC 6749 recommends ten minutes at most; clients exchange a code within seconds. */
  AuthorizationCode: 300,
  /** Since its last use: each use gives a new one. */
  RefreshToken: 90 * 24 * 3600,
  IdToken: 3600,
  Interaction: 3600,
  // Grants live as long as their tokens; sessions are not the provider's.
  DeviceCode: DEVICE_CODE_LIFETIME,
  Grant: 1e9,
  Session: 3600,
};

/** Creates the OAuth 2.0 and OpenID Connect provider on the application's database. */
export function makeProvider(options: ProviderOptions): Provider {
  const { issuer } = options;
  const provider = new QuietProvider(issuer, configuration(options));
  provider.registerGrantType('password', passwordGrant(provider, options), ['username', 'password', 'scope']);
  provider.registerGrantType('client_credentials', clientCredentialsGrant(provider, options), ['scope']);
  keepToIssuer(provider, options);
  keepOwnRules(provider);
  followSessions(provider, options);
  provider.use(speakAsSpecified);
  provider.use(promiseNoIssuer);
  provider.use(guardFormPost);
  // Koa reports errors while a response is sent here; disconnected clients are not reported.
  (provider as EventEmitter).on('error', (error: NodeJS.ErrnoException, ctx?: KoaContextWithOIDC) => {
    if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) options.report(error, ctx?.req as Request);
  });
  provider.on('server_error', (ctx, error) => {
    options.report(error, ctx.req as Request);
    const passes = transientFailure(error)?.refusal;
    if (passes) answerRetryLater(ctx, passes);
  });
  return provider;
}

/** Marks the response as temporarily unavailable. */
function answerRetryLater(ctx: KoaContextWithOIDC, { message, extensions }: DomainError): void {
  ctx.status = 503;
  ctx.set('Retry-After', String(extensions.retryAfter));
  const body: unknown = ctx.body;
  if (typeof body === 'object' && body !== null && 'error' in body) {
    Object.assign(body, { error: 'temporarily_unavailable', error_description: message });
  }
}

function configuration(options: ProviderOptions): Configuration {
  const { issuer, keys, db } = options;
  return {
    adapter: adapterFor(db),
    jwks: { keys: keys.signing as never },
    cookies: {
      keys: keys.cookies,
      names: { interaction: 'gantry_oauth', resume: 'gantry_oauth_resume', session: 'gantry_oauth_unused' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    scopes: SCOPE_NAMES,
    claims: CLAIMS,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      introspection: '/oauth/introspect',
      userinfo: '/oauth/userinfo',
      jwks: '/oauth/keys',
      device_authorization: '/oauth/authorize_device',
      code_verification: '/oauth/device',
    },
    features: {
      claimsParameter: { enabled: false },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '********' },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    },
    extraClientMetadata: { properties: ['self_registered'] },
    discovery: options.registerClient ? { registration_endpoint: issuer + REGISTRATION } : {},
    // Scripts of any site may call this: authentication is in the request, never in a cookie.
    clientBasedCORS: () => true,
    clockTolerance: 0,
    allowOmittingSingleRegisteredRedirectUri: false,
    ttl: LIVES,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => findAccount(db, id, issuer),
    loadExistingGrant: (ctx) => grantFor(ctx, db),
    interactions: { policy: askingPolicy(), url: (_ctx, { uid }) => `/oauth/interaction/${uid}` },
    renderError: (ctx, out) => options.refuse(ctx.req as Request, ctx, out),
  };
}

/** Creates a separate grant for each authorization, with the scopes requested, if the user has allowed all of them before. */
async function grantFor(ctx: KoaContextWithOIDC, db: Db) {
  const { client, account, result, provider, requestParamOIDCScopes: asked } = ctx.oidc;
  if (!client || !account) return undefined;
  const pending = ['login', 'consent'].some((prompt) => ctx.oidc.promptPending(prompt));
  if (pending || (alwaysAsks(ctx) && !result?.consent)) return undefined;
  const remembered = await rememberedScopes(db, Number(account.accountId), client.clientId);
  if (asked.size === 0 || ![...asked].every((scope) => remembered.includes(scope))) return undefined;
  const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  grant.addOIDCScope([...asked].join(' '));
  await grant.save();
  return grant;
}

/** Keeps request headers about the host out of responses; cookies are as secure as those of the pages. */
function keepToIssuer(provider: Provider, { issuer, baseUrl }: ProviderOptions): void {
  const { host, pathname } = new URL(issuer);
  Object.defineProperties(provider.request, {
    href: { get: () => `${issuer}/` },
    host: { get: () => host },
    protocol: {
      get(this: { req: Request }) {
        return baseUrl(this.req).startsWith('https:') ? 'https' : 'http';
      },
    },
  });
  Object.defineProperty(provider.context, 'mountPath', { value: pathname.replace(/\/$/, '') });
}

/** Compares secrets by their hashes, and leaves it to the registration of applications which redirects are allowed. */
function keepOwnRules(provider: Provider): void {
  const Client = provider.Client as unknown as ClientClass;
  Client.prototype.compareClientSecret = function compare(given) {
    return sameSecret(given, this.clientSecret);
  };
  Client.Schema.prototype.redirectUris = () => undefined;
}

interface ClientClass {
  prototype: { clientSecret: string; compareClientSecret(given: string): boolean };
  Schema: { prototype: { redirectUris(): void } };
}

/** Adjusts responses where rest-api-v4.md and RFC 6749 differ from the provider. */
async function speakAsSpecified(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  // Clients ignore its content, but some require JSON wherever there is a body.
  if (ctx.path === '/oauth/revoke' && ctx.status === 200 && ctx.body === '') ctx.body = {};
  const body = ctx.body as Record<string, unknown> | undefined;
  if (ctx.path === '/oauth/authorize_device' && body?.device_code) Object.assign(body, { interval: POLL_INTERVAL });
  if (ctx.path !== '/oauth/token' || !body) return;
  if (body.access_token) Object.assign(body, { token_type: 'bearer', created_at: Math.floor(Date.now() / 1000) });
  if (body.error_description === 'requested grant type is not allowed for this client') {
    body.error = new errors.UnauthorizedClient().error;
  }
}
