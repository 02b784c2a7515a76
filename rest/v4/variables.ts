import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** What variables are called in this API. */
const names = { type: 'variable_type', is_protected: 'protected', is_masked: 'masked', is_raw: 'raw' };
const newNames = { ...names, is_hidden: 'masked_and_hidden' };

export const variables: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/variables',
    operation: operations.ProjectVariablesDocument,
    result: 'project.variables',
    precheck: 'admin_variable',
  },
  {
    method: 'GET',
    path: '/projects/:id/variables/:key',
    operation: operations.ProjectVariableDocument,
    result: 'project.variable',
    precheck: 'admin_variable',
    nested: ['filter'],
  },
  {
    method: 'POST',
    path: '/projects/:id/variables',
    ...mutation('CreateVariable', 'createVariable.variable', '...VariableRecord'),
    names: newNames,
    precheck: 'admin_variable',
  },
  {
    method: 'PUT',
    path: '/projects/:id/variables/:key',
    ...mutation('UpdateVariable', 'updateVariable.variable', '...VariableRecord'),
    names,
    precheck: 'admin_variable',
  },
  {
    method: 'DELETE',
    path: '/projects/:id/variables/:key',
    ...mutation('DeleteVariable', 'deleteVariable.variable', 'key'),
    status: 204,
    precheck: 'admin_variable',
  },
  {
    method: 'GET',
    path: '/groups/:id/variables',
    operation: operations.GroupVariablesDocument,
    result: 'group.variables',
    precheck: 'admin_group_variable',
  },
  {
    method: 'GET',
    path: '/groups/:id/variables/:key',
    operation: operations.GroupVariableDocument,
    result: 'group.variable',
    precheck: 'admin_group_variable',
    nested: ['filter'],
  },
  {
    method: 'POST',
    path: '/groups/:id/variables',
    ...mutation('CreateGroupVariable', 'createVariable.variable', '...VariableRecord'),
    names: newNames,
    precheck: 'admin_group_variable',
  },
  {
    method: 'PUT',
    path: '/groups/:id/variables/:key',
    ...mutation('UpdateGroupVariable', 'updateVariable.variable', '...VariableRecord'),
    names,
    precheck: 'admin_group_variable',
  },
  {
    method: 'DELETE',
    path: '/groups/:id/variables/:key',
    ...mutation('DeleteGroupVariable', 'deleteVariable.variable', 'key'),
    status: 204,
    precheck: 'admin_group_variable',
  },
  {
    method: 'GET',
    path: '/admin/ci/variables',
    operation: operations.ServerVariablesDocument,
    result: 'serverVariables',
  },
  {
    method: 'GET',
    path: '/admin/ci/variables/:key',
    operation: operations.ServerVariableDocument,
    result: 'serverVariable',
  },
  {
    method: 'POST',
    path: '/admin/ci/variables',
    ...mutation('CreateServerVariable', 'createVariable.variable', '...ServerVariableRecord'),
    names,
    hidden: ['environment_scope', 'group', 'is_hidden', 'project'],
  },
  {
    method: 'PUT',
    path: '/admin/ci/variables/:key',
    ...mutation('UpdateServerVariable', 'updateVariable.variable', '...ServerVariableRecord'),
    names,
    hidden: ['environment_scope', 'filter', 'group', 'project'],
  },
  {
    method: 'DELETE',
    path: '/admin/ci/variables/:key',
    ...mutation('DeleteServerVariable', 'deleteVariable.variable', 'key'),
    hidden: ['filter', 'group', 'project'],
    status: 204,
  },
];
