import type { Route } from '#rest/engine/route.ts';
import type { Json } from '#rest/openapi/components.ts';
import { tagOf } from '#rest/openapi/tags.ts';

/** The authentication methods; docs/contract/behaviour.md 4.1 has the details. */
export const SECURITY_SCHEMES: Record<string, Json> = {
  privateToken: {
    type: 'apiKey',
    in: 'header',
    name: 'PRIVATE-TOKEN',
    description: 'A personal access token, an impersonation token, or the private token of a user.',
  },
  privateTokenParameter: {
    type: 'apiKey',
    in: 'query',
    name: 'private_token',
    description: 'The same tokens as a parameter. URLs end up in logs: prefer the header.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of OAuth, or one of the tokens of `PRIVATE-TOKEN`, in the header `Authorization`.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'Access tokens that an application gets for a user. Applications are registered at `/profile/applications`.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/oauth/authorize',
        tokenUrl: '/oauth/token',
        refreshUrl: '/oauth/token',
        scopes: scopes(),
      },
      password: { tokenUrl: '/oauth/token', refreshUrl: '/oauth/token', scopes: scopes() },
    },
  },
};

function scopes(): Record<string, string> {
  return {
    api: 'Everything that the user may do.',
    read_api: 'Read everything that the user may see.',
    read_user: 'Read users, and the account of the user.',
    read_repository: 'Read files and archives of repositories, and fetch with git.',
    write_repository: 'Fetch and push with git.',
  };
}

/** The ways to authenticate, one of which suffices. */
export const CREDENTIALS: readonly Json[] = [
  { privateToken: [] },
  { privateTokenParameter: [] },
  { bearer: [] },
  { oauth2: ['api'] },
];

/** The security requirement of an operation, if it differs from the default: none for public ones, less for reads of accounts. */
export function securityOf(route: Route): Json {
  const anybody = route.auth === 'optional' ? [{}] : [];
  const less = scopesBeside(route).map((scope) => ({ oauth2: [scope] }));
  return anybody.length + less.length > 0 ? { security: [...anybody, ...CREDENTIALS, ...less] } : {};
}

/** The scopes that suffice besides `api`. */
function scopesBeside(route: Route): string[] {
  if (route.method !== 'GET' && !route.reads) return [];
  return [
    'read_api',
    ...(readsAccounts(route) ? ['read_user'] : []),
    ...(route.filesOfRepository ? ['read_repository'] : []),
  ];
}

/** Whether the scope `read_user` suffices (behaviour.md 4.2): for users, their keys and their addresses. */
function readsAccounts({ method, path }: Route): boolean {
  // The projects of users are no part of their accounts.
  const ofAccount = ['users', 'keys', 'emails'].includes(tagOf(path)) && !path.endsWith('projects');
  return (
    method === 'GET' && (path === '/version' || path === '/metadata' || (ofAccount && /^\/users?(?:\/|$)/.test(path)))
  );
}
