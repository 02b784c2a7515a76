import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { projectFilters } from '#rest/v4/filters.ts';
import { BY_CURSOR, PROJECTS_BY_ID } from '#rest/v4/keyset.ts';
import { OF_GROUPS, OF_SAVED_GROUPS } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

/** Keys that only some projects have (behaviour.md 7), in a list and within a group. */
const listed = [
  'owner',
  'forked_from_project',
  'open_issues_count',
  '_links.issues',
  '_links.merge_requests',
  '_links.labels',
];
const within = [
  ...['projects', 'shared_projects'].flatMap((list) => listed.map((key) => `${list}.${key}`)),
  // Groups at the top have it.
  'prevent_sharing_groups_outside_hierarchy',
];

/** Levels of today that Gantry does not have, as the next higher one. */
const words = { min_access_level: { 5: 10, 15: 20 } };

export const groups: Route[] = [
  {
    method: 'GET',
    path: '/groups',
    operation: operations.GroupsDocument,
    result: 'groups',
    words,
    keyset: { ...BY_CURSOR, only: { order_by: ['name'], sort: ['asc', undefined] } },
  },
  {
    method: 'GET',
    path: '/groups/:id/subgroups',
    operation: operations.SubgroupsDocument,
    result: 'group.subgroups',
    words,
  },
  {
    method: 'GET',
    path: '/groups/:id/descendant_groups',
    operation: operations.DescendantGroupsDocument,
    result: 'group.descendantGroups',
    words,
  },
  {
    method: 'GET',
    path: '/groups/:id/groups/shared',
    operation: operations.SharedGroupsDocument,
    result: 'group.sharedGroups',
    words,
  },
  {
    method: 'POST',
    path: '/groups/:id/share',
    ...mutation('ShareGroup', 'shareGroup.group', '...GroupSettings'),
    required: ['group_id', 'group_access'],
    names: { invited_group: 'group_id', access_level: 'group_access' },
    allowed: { group_access: [10, 20, 30, 40, 50] },
    numericIds: ['group_id'],
    forbidden: { status: 404, message: '404 Group Not Found' },
    omitNull: within,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/share/:group_id',
    operation: operations.UnshareGroupDocument,
    names: { invited_group_id: 'group_id' },
    hidden: ['invited_group'],
    result: 'unshareGroup.group',
    status: 204,
  },
  { method: 'GET', path: '/groups/:id', operation: operations.GroupDocument, result: 'group', omitNull: within },
  {
    method: 'GET',
    path: '/groups/:id/avatar',
    operation: operations.GroupAvatarDocument,
    result: 'group',
    raw: 'group_avatar',
    description: 'Sends the picture that was uploaded for a group.',
  },
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
    unsupported: OF_GROUPS,
    ...mutation('CreateGroup', 'createGroup.group', '...GroupRecord'),
    names: { parent: 'parent_id' },
    required: ['name', 'path'],
    numericIds: ['parent_id'],
    validationPrefix: 'Failed to save group',
    file: 'avatar',
  },
  {
    method: 'PUT',
    path: '/groups/:id',
    unsupported: OF_SAVED_GROUPS,
    ...mutation('UpdateGroup', 'updateGroup.group', '...GroupDetail'),
    atLeastOne: [
      'name',
      'path',
      'description',
      'visibility',
      'lfs_enabled',
      'request_access_enabled',
      'wiki_access_level',
      'share_with_group_lock',
      'project_creation_level',
      'subgroup_creation_level',
      'prevent_sharing_groups_outside_hierarchy',
      'max_artifacts_size',
      'avatar',
    ],
    file: 'avatar',
    omitNull: within,
  },
  {
    method: 'POST',
    path: '/groups/:id/transfer',
    ...mutation('TransferGroup', 'transferGroup.group', '...GroupDetail'),
    names: { parent: 'group_id' },
    numericIds: ['group_id'],
    omitNull: within,
  },
  {
    method: 'DELETE',
    path: '/groups/:id',
    ...mutation('DeleteGroup', 'deleteGroup', 'deletedGroupId'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/groups/:id/projects/:project_id',
    ...mutation('TransferProject', 'transferProject.group', '...GroupDetail'),
    names: { project: 'project_id' },
    precheck: 'administrate',
    validationPrefix: 'Failed to transfer project',
    omitNull: within,
  },
];
