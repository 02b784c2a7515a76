import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'admin_variable';

export const variables: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/variables',
    operation: operations.ProjectVariablesDocument,
    result: 'project.variables',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/variables/:key',
    operation: operations.ProjectVariableDocument,
    result: 'project.variable',
    precheck,
  },
  {
    method: 'POST',
    path: '/projects/:id/variables',
    operation: operations.CreateVariableDocument,
    result: 'createVariable.variable',
    precheck,
  },
  {
    method: 'PUT',
    path: '/projects/:id/variables/:key',
    operation: operations.UpdateVariableDocument,
    result: 'updateVariable.variable',
    precheck,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/variables/:key',
    operation: operations.DeleteVariableDocument,
    result: 'deleteVariable.variable',
    status: 204,
    precheck,
  },
];
