import type { Request, Response } from 'express';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { currentKeys, type OAuthKeys } from '#src/access/oauth/keys.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';

/** The provider, created at its first use, as it takes time and memory that servers without applications need not spend. */
export interface LazyProvider {
  get(): Promise<Provider>;
  /** Has the provider answer a request. */
  answer(request: Request, response: Response): Promise<void>;
}

interface Made {
  provider: Provider;
  callback: ReturnType<Provider['callback']>;
}

/** Creates the provider when it is needed, and again when the keys have changed, even by another server. */
export function lazyProvider(options: OAuthOptions): LazyProvider {
  let keys: OAuthKeys | undefined;
  let made: { version: string; making: Promise<Made> } | undefined;
  const current = async (): Promise<Made> => {
    keys = await currentKeys(options.db, options.secret, keys);
    if (made?.version !== keys.version) made = { version: keys.version, making: make(keys) };
    return made.making;
  };
  const make = async (keys: OAuthKeys): Promise<Made> => {
    const { makeProvider } = await import('#src/access/oauth/provider.ts');
    const provider = makeProvider({ ...options, issuer: options.issuer(), keys, refuse });
    return { provider, callback: provider.callback() };
  };
  return {
    get: async () => (await current()).provider,
    answer: async (request, response) => (await current()).callback(request, response),
  };

  /** Answers with a page for browsers, an RFC 6749 error for others; the provider has set the status. */
  async function refuse(
    request: Request,
    ctx: KoaContextWithOIDC,
    { error, error_description: description }: { error: string; error_description?: string },
  ): Promise<void> {
    const { status } = ctx;
    const message = status === 503 ? TRY_LATER : (REFUSALS[error] ?? description ?? error);
    const isForPeople = /^\/oauth\/authorize/.test(ctx.path);
    if (isForPeople && (await options.showRefusal(request, ctx.res as Response, { status, message }))) {
      ctx.respond = false;
    } else ctx.body = { error, error_description: description };
  }
}

const TRY_LATER = 'The application cannot be authorized right now. Try again in a moment.';

const REFUSALS: Record<string, string> = {
  invalid_client: 'The application that sent you here is not registered on this server.',
  invalid_redirect_uri:
    'The application that sent you here asked to redirect you to an address that it has not registered.',
};
