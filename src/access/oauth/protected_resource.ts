import type { Request, Response } from 'express';
import type { OAuthOptions } from '#src/access/oauth/options.ts';

/** Where the documents are: of the whole server, and of /mcp, whose clients look for theirs below this path. */
export const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource';

/**
 * What needs a token, and who gives tokens out (OAuth 2.0 Protected Resource Metadata, RFC 9728). It names no scopes: without `scope` an
 * application asks for all that its registration allows, no more.
 *
 * @param path of what is protected, below the server's URL
 */
export function protectedResource({ baseUrl, issuer }: Pick<OAuthOptions, 'baseUrl' | 'issuer'>, path: '' | '/mcp') {
  return async (request: Request, response: Response): Promise<void> => {
    response.json({
      resource: `${baseUrl(request)}${path}`,
      resource_name: 'Gantry',
      authorization_servers: [issuer()],
      bearer_methods_supported: ['header'],
    });
  };
}
