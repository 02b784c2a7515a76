import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const deployments: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/deployments',
    operation: operations.ProjectDeploymentsDocument,
    result: 'project.deployments',
  },
  {
    method: 'GET',
    path: '/projects/:id/deployments/:deployment_id',
    operation: operations.ProjectDeploymentDocument,
    result: 'project.deployment',
  },
  {
    method: 'POST',
    path: '/projects/:id/deployments',
    operation: operations.CreateDeploymentDocument,
    result: 'createDeployment.deployment',
  },
];
