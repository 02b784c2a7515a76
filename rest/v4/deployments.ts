import type { Route } from '#rest/engine/route.ts';
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
    result: 'createDeployment.deployment',
    omitNull,
  },
];
