import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const MISSING = '404 Integration Not Found';
const notFound = { Integration: MISSING };

/** What a caller proves who they are with is no setting. */
const CREDENTIALS = new Set(['id', 'private_token', 'access_token', 'job_token']);

/** The settings of each kind have parameters of their own. */
const derived: Route['derived'] = {
  properties: (_variables, _caller, given) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !CREDENTIALS.has(name))),
};

interface Operations {
  list: Route['operation'];
  one: Route['operation'];
  update: Route['operation'];
  remove: Route['operation'];
}

function routesOf(place: 'project' | 'group', { list, one, update, remove }: Operations): Route[] {
  const path = `/${place}s/:id/integrations`;
  // Clients of earlier releases know integrations of projects as services.
  const also = (end = '') => (place === 'project' ? { alsoAt: [`/projects/:id/services${end}`] } : {});
  const precheck = place === 'project' ? { precheck: 'admin_integration' } : {};
  return [
    { method: 'GET', path, ...also(), operation: list, result: `${place}.integrations`, ...precheck },
    {
      method: 'GET',
      path: `${path}/:slug`,
      ...also('/:slug'),
      operation: one,
      result: `${place}.integration`,
      whenNull: { status: 404, message: MISSING },
      notFound,
      ...precheck,
    },
    {
      method: 'PUT',
      path: `${path}/:slug`,
      ...also('/:slug'),
      operation: update,
      result: 'updateIntegration.integration',
      description:
        'Sets an integration up, or changes it. Besides the parameters here there are those of its kind: its settings by their names (docs/integrations.md).',
      derived,
      notFound,
      ...precheck,
    },
    {
      method: 'DELETE',
      path: `${path}/:slug`,
      ...also('/:slug'),
      operation: remove,
      result: 'removeIntegration.integration',
      status: 204,
      notFound,
      ...precheck,
    },
  ];
}

/** Connections of projects and groups with other programs. */
export const integrations: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/integrations/:slug/trigger',
    alsoAt: ['/projects/:id/services/:slug/trigger'],
    operation: operations.RunChatCommandDocument,
    result: 'runChatCommand',
    status: 200,
    auth: 'optional',
    notFound,
  },
  ...routesOf('project', {
    list: operations.ProjectIntegrationsDocument,
    one: operations.ProjectIntegrationDocument,
    update: operations.UpdateProjectIntegrationDocument,
    remove: operations.DeleteProjectIntegrationDocument,
  }),
  ...routesOf('group', {
    list: operations.GroupIntegrationsDocument,
    one: operations.GroupIntegrationDocument,
    update: operations.UpdateGroupIntegrationDocument,
    remove: operations.DeleteGroupIntegrationDocument,
  }),
];
