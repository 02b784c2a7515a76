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
    operation: operations.CreateDeploymentDocument,
    required: ['environment', 'sha', 'ref'],
    result: 'createDeployment.deployment',
    omitNull,
  },
  {
    method: 'PUT',
    path: '/projects/:id/deployments/:deployment_id',
    operation: operations.UpdateDeploymentDocument,
    result: 'updateDeployment.deployment',
    omitNull,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/deployments/:deployment_id',
    operation: operations.DeleteDeploymentDocument,
    result: 'deleteDeployment',
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
