import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { ENDING } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'admin_deploy_key';

/** Reads say "Not found", as for most records below a project (behaviour.md 1.3). */
const notFound = { 'Deploy Key': '404 Not found' };

export const deployKeys: Route[] = [
  {
    method: 'GET',
    path: '/deploy_keys',
    operation: operations.AllDeployKeysDocument,
    result: 'deployKeys',
    precheck: 'administrate',
  },
  {
    method: 'POST',
    path: '/deploy_keys',
    unsupported: ENDING,
    ...mutation('CreatePublicDeployKey', 'createPublicDeployKey.deployKey', '...DeployKeyRecord'),
    required: ['title', 'key'],
    precheck: 'administrate',
  },
  {
    method: 'GET',
    path: '/projects/:id/deploy_keys',
    operation: operations.ProjectDeployKeysDocument,
    result: 'project.deployKeys',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/deploy_keys/:key_id',
    operation: operations.ProjectDeployKeyDocument,
    result: 'project.deployKey',
    precheck,
    notFound,
  },
  {
    method: 'POST',
    path: '/projects/:id/deploy_keys',
    unsupported: ENDING,
    ...mutation('CreateDeployKey', 'createDeployKey.deployKey', '...DeployKeyRecord'),
    required: ['title', 'key'],
    precheck,
  },
  {
    method: 'POST',
    path: '/projects/:id/deploy_keys/:key_id/enable',
    ...mutation('EnableDeployKey', 'enableDeployKey.deployKey', '...DeployKeyRecord'),
    precheck,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/deploy_keys/:key_id',
    ...mutation('DeleteDeployKey', 'deleteDeployKey', 'deletedDeployKeyId'),
    status: 204,
    precheck,
  },
];
