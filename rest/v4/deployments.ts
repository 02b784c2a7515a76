import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { mergeRequestFilters } from '#rest/v4/filters.ts';
import { ofForks } from '#rest/v4/merge_requests.ts';
import * as operations from '#src/generated/operations.ts';

/** Present only if the deployable has artifacts. */
const omitNull = ['deployable.artifacts_file'];

export const deployments: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/deployments',
    operation: operations.ProjectDeploymentsDocument,
    result: 'project.deployments',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/deployments/:deployment_id',
    operation: operations.ProjectDeploymentDocument,
    result: 'project.deployment',
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/deployments',
    ...mutation('CreateDeployment', 'createDeployment.deployment', '...DeploymentRecord'),
    required: ['environment', 'sha', 'ref'],
    omitNull,
  },
  {
    method: 'PUT',
    path: '/projects/:id/deployments/:deployment_id',
    ...mutation('UpdateDeployment', 'updateDeployment.deployment', '...DeploymentRecord'),
    omitNull,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/deployments/:deployment_id',
    ...mutation('DeleteDeployment', 'deleteDeployment', 'deletedDeploymentId'),
    status: 204,
  },
  {
    method: 'GET',
    path: '/projects/:id/deployments/:deployment_id/merge_requests',
    operation: operations.DeploymentMergeRequestsDocument,
    result: 'project.deployment.mergeRequests',
    omitNull: ofForks(),
    ...mergeRequestFilters,
  },
];
