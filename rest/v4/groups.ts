import type { Route } from '#rest/engine/route.ts';
import { projectFilters } from '#rest/v4/filters.ts';
import { PROJECTS_BY_ID } from '#rest/v4/keyset.ts';
import * as operations from '#src/generated/operations.ts';

/** Keys that only some projects have (behaviour.md 7), in a list and within a group. */
const listed = ['owner', 'forked_from_project', 'open_issues_count', '_links.issues', '_links.merge_requests'];
const within = ['projects', 'shared_projects'].flatMap((list) => listed.map((key) => `${list}.${key}`));

export const groups: Route[] = [
  {
    method: 'GET',
    path: '/groups',
    operation: operations.GroupsDocument,
    result: 'groups',
    // A search returns only four keys (rest-api-v4.md, Group).
    derived: { whole: ({ search }) => typeof search !== 'string' || search.trim() === '' },
  },
  { method: 'GET', path: '/groups/:id', operation: operations.GroupDocument, result: 'group', omitNull: within },
  {
    method: 'GET',
    path: '/groups/:id/projects',
    operation: operations.GroupProjectsDocument,
    result: 'group.projects',
    ...projectFilters,
    keyset: PROJECTS_BY_ID,
    omitNull: listed,
  },
  {
    method: 'POST',
    path: '/groups',
    operation: operations.CreateGroupDocument,
    result: 'createGroup.group',
    numericIds: ['parent_id'],
    validationPrefix: 'Failed to save group',
  },
  {
    method: 'PUT',
    path: '/groups/:id',
    operation: operations.UpdateGroupDocument,
    result: 'updateGroup.group',
    atLeastOne: ['name', 'path', 'description', 'visibility', 'lfs_enabled', 'request_access_enabled'],
    omitNull: within,
  },
  {
    method: 'DELETE',
    path: '/groups/:id',
    operation: operations.DeleteGroupDocument,
    result: 'deleteGroup',
    status: 204,
  },
  {
    method: 'POST',
    path: '/groups/:id/projects/:project_id',
    operation: operations.TransferProjectDocument,
    result: 'transferProject.group',
    precheck: 'administrate',
    validationPrefix: 'Failed to transfer project',
    omitNull: within,
  },
];
