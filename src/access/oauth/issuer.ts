import Provider, { type KoaContextWithOIDC } from 'oidc-provider';

type ResponseMode = Parameters<Provider['registerResponseMode']>[1];

/**
 * The provider, whose answers to authorization requests say who issued them (`iss`, RFC 9207) only where OpenID Connect was
 * asked for: clients of plain OAuth that know no issuer refuse an answer with one. The library has no option for it, and asks
 * the class for each way of answering.
 */
export class QuietProvider extends Provider {
  override registerResponseMode(name: string, respond: ResponseMode): void {
    super.registerResponseMode(name, (ctx, redirectUri, { iss, ...payload }) =>
      respond(ctx, redirectUri, isOpenId(ctx) ? { ...payload, iss } : payload),
    );
  }
}

/** Whether a request is one of OpenID Connect; one that was refused may not have been read further than its query. */
function isOpenId(ctx: KoaContextWithOIDC): boolean {
  const scope = ctx.oidc.params?.scope ?? ctx.query.scope;
  return typeof scope === 'string' && scope.split(' ').includes('openid');
}

/**
 * Keeps the metadata from promising an `iss` in every answer: clients that read it refuse answers without one, whatever they
 * asked for. They compare one that is there all the same.
 */
export async function promiseNoIssuer(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (!ctx.path.startsWith('/.well-known/') || typeof ctx.body !== 'object') return;
  const { authorization_response_iss_parameter_supported: _, ...metadata } = ctx.body as Record<string, unknown>;
  ctx.body = metadata;
}
