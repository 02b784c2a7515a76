import Provider, { type KoaContextWithOIDC } from 'oidc-provider';

type ResponseMode = Parameters<Provider['registerResponseMode']>[1];

/**
 * A provider that adds `iss` (RFC 9207) to its authorization responses only for OpenID Connect requests, because clients of plain
 * OAuth that know no issuer refuse a response with one. The library has no option for it, and calls the class for each response
 * mode.
 */
export class QuietProvider extends Provider {
  override registerResponseMode(name: string, respond: ResponseMode): void {
    super.registerResponseMode(name, (ctx, redirectUri, { iss, ...payload }) =>
      respond(ctx, redirectUri, isOpenId(ctx) ? { ...payload, iss } : payload),
    );
  }
}

/** Whether a request uses OpenID Connect; of a refused request possibly only the query was read. */
function isOpenId(ctx: KoaContextWithOIDC): boolean {
  const scope = ctx.oidc.params?.scope ?? ctx.query.scope;
  return typeof scope === 'string' && scope.split(' ').includes('openid');
}

/**
 * Keeps the metadata from promising an `iss` in every response: clients that read it would refuse responses without one. They
 * still compare an `iss` that is present.
 */
export async function promiseNoIssuer(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (!ctx.path.startsWith('/.well-known/') || typeof ctx.body !== 'object') return;
  const { authorization_response_iss_parameter_supported: _, ...metadata } = ctx.body as Record<string, unknown>;
  ctx.body = metadata;
}
