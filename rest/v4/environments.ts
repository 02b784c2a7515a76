import { mutation } from '#rest/engine/mutation.ts';
import type { Check, Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Environments are not of clusters, of which there are none. */
const constants = { kubernetes_namespace: null, flux_resource_path: null, cluster_agent: null };
const check: Check = ({ slug }) =>
  slug === undefined ? [] : ['slug is automatically generated and cannot be changed'];

export const environments: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/environments',
    operation: operations.ProjectEnvironmentsDocument,
    result: 'project.environments',
    exclusive: [['name', 'search']],
    constants,
  },
  {
    method: 'GET',
    path: '/projects/:id/environments/:environment_id',
    operation: operations.ProjectEnvironmentDocument,
    result: 'project.environment',
    omitNull: ['last_deployment.deployable.artifacts_file'],
    constants,
  },
  {
    method: 'POST',
    path: '/projects/:id/environments',
    ...mutation('CreateEnvironment', 'createEnvironment.environment', '...EnvironmentRecord'),
    check,
    constants,
  },
  {
    method: 'PUT',
    path: '/projects/:id/environments/:environment_id',
    ...mutation('UpdateEnvironment', 'updateEnvironment.environment', '...EnvironmentRecord'),
    check,
    constants,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/environments/:environment_id',
    ...mutation('DeleteEnvironment', 'deleteEnvironment', 'deletedEnvironmentId'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/environments/:environment_id/stop',
    ...mutation('StopEnvironment', 'stopEnvironment.environment', '...EnvironmentRecord'),
    status: 200,
    constants,
  },
];
