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
    operation: operations.CreateVariableDocument,
    names: newNames,
    result: 'createVariable.variable',
    precheck: 'admin_variable',
  },
  {
    method: 'PUT',
    path: '/projects/:id/variables/:key',
    operation: operations.UpdateVariableDocument,
    names,
    result: 'updateVariable.variable',
    precheck: 'admin_variable',
  },
  {
    method: 'DELETE',
    path: '/projects/:id/variables/:key',
    operation: operations.DeleteVariableDocument,
    result: 'deleteVariable.variable',
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
    operation: operations.CreateGroupVariableDocument,
    names: newNames,
    result: 'createVariable.variable',
    precheck: 'admin_group_variable',
  },
  {
    method: 'PUT',
    path: '/groups/:id/variables/:key',
    operation: operations.UpdateGroupVariableDocument,
    names,
    result: 'updateVariable.variable',
    precheck: 'admin_group_variable',
  },
  {
    method: 'DELETE',
    path: '/groups/:id/variables/:key',
    operation: operations.DeleteGroupVariableDocument,
    result: 'deleteVariable.variable',
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
    operation: operations.CreateServerVariableDocument,
    names,
    hidden: ['environment_scope', 'group', 'is_hidden', 'project'],
    result: 'createVariable.variable',
  },
  {
    method: 'PUT',
    path: '/admin/ci/variables/:key',
    operation: operations.UpdateServerVariableDocument,
    names,
    hidden: ['environment_scope', 'filter', 'group', 'project'],
    result: 'updateVariable.variable',
  },
  {
    method: 'DELETE',
    path: '/admin/ci/variables/:key',
    operation: operations.DeleteServerVariableDocument,
    hidden: ['filter', 'group', 'project'],
    result: 'deleteVariable.variable',
    status: 204,
  },
];
