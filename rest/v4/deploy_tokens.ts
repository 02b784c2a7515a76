import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const deployTokens: Route[] = [
  { method: 'GET', path: '/deploy_tokens', operation: operations.DeployTokensDocument, result: 'deployTokens' },
  {
    method: 'GET',
    path: '/projects/:id/deploy_tokens',
    operation: operations.ProjectDeployTokensDocument,
    result: 'project.deployTokens',
  },
  {
    method: 'GET',
    path: '/projects/:id/deploy_tokens/:token_id',
    operation: operations.ProjectDeployTokenDocument,
    result: 'project.deployToken',
    numeric: ['token_id'],
  },
  {
    method: 'POST',
    path: '/projects/:id/deploy_tokens',
    operation: operations.CreateProjectDeployTokenDocument,
    result: 'createDeployToken.deployToken',
  },
  {
    method: 'DELETE',
    path: '/projects/:id/deploy_tokens/:token_id',
    ...mutation('DeleteProjectDeployToken', 'deleteDeployToken', 'deletedDeployTokenId'),
    status: 204,
    numeric: ['token_id'],
  },
  {
    method: 'GET',
    path: '/groups/:id/deploy_tokens',
    operation: operations.GroupDeployTokensDocument,
    result: 'group.deployTokens',
  },
  {
    method: 'GET',
    path: '/groups/:id/deploy_tokens/:token_id',
    operation: operations.GroupDeployTokenDocument,
    result: 'group.deployToken',
    numeric: ['token_id'],
  },
  {
    method: 'POST',
    path: '/groups/:id/deploy_tokens',
    operation: operations.CreateGroupDeployTokenDocument,
    result: 'createDeployToken.deployToken',
  },
  {
    method: 'DELETE',
    path: '/groups/:id/deploy_tokens/:token_id',
    ...mutation('DeleteGroupDeployToken', 'deleteDeployToken', 'deletedDeployTokenId'),
    status: 204,
    numeric: ['token_id'],
  },
];
