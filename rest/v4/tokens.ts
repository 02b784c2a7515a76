import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const shared = { numeric: ['user_id'], precheck: 'administrate' };

export const tokens: Route[] = [
  {
    method: 'GET',
    path: '/users/:user_id/impersonation_tokens',
    operation: operations.ImpersonationTokensDocument,
    result: 'user.impersonationTokens',
    ...shared,
  },
  {
    method: 'POST',
    path: '/users/:user_id/impersonation_tokens',
    operation: operations.CreateImpersonationTokenDocument,
    result: 'createImpersonationToken.personalAccessToken',
    passUnknownEnum: ['scopes'],
    ...shared,
  },
  {
    method: 'GET',
    path: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
    operation: operations.ImpersonationTokenDocument,
    result: 'user.impersonationToken',
    ...shared,
  },
  {
    method: 'DELETE',
    path: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
    operation: operations.RevokeImpersonationTokenDocument,
    result: 'revokeImpersonationToken.personalAccessToken',
    status: 204,
    ...shared,
  },
];
