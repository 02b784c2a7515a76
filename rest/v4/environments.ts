import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const absent = { slug: 'is automatically generated and cannot be changed' };

export const environments: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/environments',
    operation: operations.ProjectEnvironmentsDocument,
    result: 'project.environments',
  },
  {
    method: 'POST',
    path: '/projects/:id/environments',
    operation: operations.CreateEnvironmentDocument,
    result: 'createEnvironment.environment',
    absent,
  },
  {
    method: 'PUT',
    path: '/projects/:id/environments/:environment_id',
    operation: operations.UpdateEnvironmentDocument,
    result: 'updateEnvironment.environment',
    absent,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/environments/:environment_id',
    operation: operations.DeleteEnvironmentDocument,
    result: 'deleteEnvironment',
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/environments/:environment_id/stop',
    operation: operations.StopEnvironmentDocument,
    result: 'stopEnvironment.environment',
    status: 200,
  },
];
