import crypto from 'node:crypto';
import type { Request } from 'express';
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { scopeUnsaid } from '#src/access/oauth/clients.ts';
import { insertGrant } from '#src/access/oauth/grants.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';
import { signInByPassword } from '#src/access/sign_in/sign_in.ts';
import { DomainError, Unauthenticated } from '#src/platform/errors.ts';

/** Too many wrong passwords or concurrent sign-ins; the one error here that RFC 6749 does not define for this endpoint. */
class TryLater extends errors.OIDCProviderError {
  override error_description: string;

  constructor(status: 429 | 503, description: string) {
    super(status, 'temporarily_unavailable');
    this.error_description = description;
    // The provider hides the messages of what it takes for server errors.
    this.expose = true;
  }
}

/**
 * The password grant (RFC 6749, 4.3), with the same limits, refusals and setting as signing in to the API with a password, so
 * that it does not bypass any of them.
 */
export function passwordGrant(provider: Provider, { contextOf }: Pick<OAuthOptions, 'contextOf'>) {
  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { username, password } = ctx.oidc.params ?? {};
    for (const [name, value] of Object.entries({ username, password })) {
      if (typeof value !== 'string' || value === '') {
        throw new errors.InvalidRequest(`missing required parameter(s): '${name}'`);
      }
    }
    const { client, scope, ask } = await asked(ctx, contextOf);
    const user = await signInByPassword(ask, String(username), String(password)).catch((error) => {
      throw refusalOf(error, ctx);
    });
    const grantId = crypto.randomBytes(32).toString('base64url');
    const { id: userId, passwordHash } = user;
    const granted = { id: grantId, userId, clientId: client.clientId, scopes: scope.split(' '), passwordHash };
    if (!(await insertGrant(ask.db, granted))) throw new errors.InvalidGrant('the password was changed meanwhile');
    const accountId = String(userId);
    const common = { accountId, client, grantId, gty: 'password', scope };
    const access = new provider.AccessToken(common as never);
    ctx.oidc.entity('AccessToken', access);
    const refresh = new provider.RefreshToken({ ...common, rotations: 0 } as never);
    ctx.oidc.entity('RefreshToken', refresh);
    ctx.body = {
      access_token: await access.save(),
      token_type: access.tokenType,
      expires_in: access.expiration,
      refresh_token: await refresh.save(),
      scope,
    };
  };
}

/** The client credentials grant: its tokens belong to no user, and only identify the application. */
export function clientCredentialsGrant(provider: Provider, { contextOf }: Pick<OAuthOptions, 'contextOf'>) {
  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { client, scope } = await asked(ctx, contextOf);
    const token = new provider.ClientCredentials({ client, scope } as never);
    ctx.oidc.entity('ClientCredentials', token);
    const value = await token.save();
    ctx.body = { access_token: value, token_type: token.tokenType, expires_in: token.expiration, scope };
  };
}

async function asked(ctx: KoaContextWithOIDC, contextOf: OAuthOptions['contextOf']) {
  const { client, params } = ctx.oidc;
  if (!client) throw new errors.InvalidClient();
  const ask = contextOf(null, ctx.req as Request);
  const given = typeof params?.scope === 'string' && params.scope.trim() !== '' ? params.scope : undefined;
  const wanted = [...new Set((given ?? (await scopeUnsaid(ask.db, client.clientId))).split(/ +/))].filter(Boolean);
  const foreign = wanted.filter((scope) => !client.scope?.split(' ').includes(scope));
  if (foreign.length > 0) throw new errors.InvalidScope('requested scope is not allowed', foreign.join(' '));
  return { client, ask, scope: wanted.join(' ') };
}

function refusalOf(error: unknown, ctx: KoaContextWithOIDC): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.code === 'RATE_LIMITED' || error.code === 'UNAVAILABLE') {
    ctx.set('Retry-After', String(error.extensions.retryAfter));
    return new TryLater(error.code === 'UNAVAILABLE' ? 503 : 429, error.message);
  }
  if (!(error instanceof Unauthenticated)) return error;
  const refused = new errors.InvalidGrant(error.message);
  refused.error_description = error.reason === 'explained' ? error.message : 'user name or password are wrong';
  return refused;
}
