import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const shared = { numeric: ['user_id'], precheck: 'administrate' };

const ownToken = { numeric: ['id'] };

export const tokens: Route[] = [
  {
    method: 'GET',
    path: '/personal_access_tokens',
    operation: operations.PersonalAccessTokensDocument,
    result: 'personalAccessTokens',
    forbidden: { status: 401, message: '401 Unauthorized' },
  },
  {
    method: 'GET',
    path: '/personal_access_tokens/self',
    operation: operations.CurrentAccessTokenDocument,
    result: 'currentAccessToken',
    purpose: 'own_token',
  },
  {
    method: 'GET',
    path: '/personal_access_tokens/:id',
    operation: operations.PersonalAccessTokenDocument,
    result: 'personalAccessToken',
    ...ownToken,
  },
  {
    method: 'POST',
    path: '/personal_access_tokens/self/rotate',
    operation: operations.RotateCurrentAccessTokenDocument,
    hidden: ['group', 'project'],
    result: 'rotateCurrentAccessToken.personalAccessToken',
    status: 200,
    purpose: 'rotate_token',
    failure: { BAD_REQUEST: 405 },
  },
  {
    method: 'POST',
    path: '/personal_access_tokens/:id/rotate',
    operation: operations.RotatePersonalAccessTokenDocument,
    result: 'rotatePersonalAccessToken.personalAccessToken',
    status: 200,
    ...ownToken,
  },
  {
    method: 'DELETE',
    path: '/personal_access_tokens/self',
    operation: operations.RevokeCurrentAccessTokenDocument,
    result: 'revokeCurrentAccessToken',
    status: 204,
    purpose: 'own_token',
  },
  {
    method: 'DELETE',
    path: '/personal_access_tokens/:id',
    operation: operations.RevokePersonalAccessTokenDocument,
    hidden: ['user_id'],
    result: 'revokePersonalAccessToken.personalAccessToken',
    status: 204,
    ...ownToken,
  },
  {
    method: 'POST',
    path: '/user/personal_access_tokens',
    operation: operations.CreateOwnAccessTokenDocument,
    result: 'createPersonalAccessToken.personalAccessToken',
    // A token makes none that gives more access than it has itself.
    among: { scopes: ['self_rotate', 'k8s_proxy'] },
  },
  {
    method: 'POST',
    path: '/users/:user_id/personal_access_tokens',
    operation: operations.CreatePersonalAccessTokenDocument,
    result: 'createPersonalAccessToken.personalAccessToken',
    passUnknownEnum: ['scopes'],
    ...shared,
  },
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
