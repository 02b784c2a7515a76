import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const passUnknownEnum = ['access_level'];
/** Absent where it is not known who gave the membership. */
const omitNull = ['created_by'];
/** One user is a record; several are a status, with a message for those who were not added. */
const added = {
  omitNull: ['status', 'message', 'member', 'member.created_by'],
  spread: 'member',
  alternatives: ['user_id', 'username'],
  commaSeparated: ['username'],
} as const;

export const members: Route[] = [
  {
    method: 'GET',
    path: '/groups/:id/members',
    operation: operations.GroupMembersDocument,
    result: 'group.members',
    omitNull,
  },
  {
    method: 'GET',
    path: '/groups/:id/members/all',
    operation: operations.AllGroupMembersDocument,
    result: 'group.members',
    omitNull,
  },
  {
    method: 'GET',
    path: '/groups/:id/members/all/:user_id',
    operation: operations.AnyGroupMemberDocument,
    result: 'group.member',
    omitNull,
  },
  {
    method: 'GET',
    path: '/groups/:id/members/:user_id',
    operation: operations.GroupMemberDocument,
    result: 'group.member',
    omitNull,
  },
  {
    method: 'POST',
    path: '/groups/:id/members',
    operation: operations.AddGroupMembersDocument,
    names: { user_ids: 'user_id', usernames: 'username' },
    result: 'addGroupMembers',
    passUnknownEnum,
    ...added,
  },
  {
    method: 'PUT',
    path: '/groups/:id/members/:user_id',
    ...mutation('UpdateGroupMember', 'updateGroupMember.member', '...MemberRecord'),
    omitNull,
    passUnknownEnum,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/members/:user_id',
    operation: operations.RemoveGroupMemberDocument,
    result: 'removeGroupMember',
    status: 204,
  },
  {
    method: 'GET',
    path: '/projects/:id/members',
    operation: operations.ProjectMembersDocument,
    result: 'project.members',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/members/all',
    operation: operations.AllProjectMembersDocument,
    result: 'project.members',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/members/all/:user_id',
    operation: operations.AnyProjectMemberDocument,
    result: 'project.member',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/members/:user_id',
    operation: operations.ProjectMemberDocument,
    result: 'project.member',
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/members',
    operation: operations.AddProjectMembersDocument,
    names: { user_ids: 'user_id', usernames: 'username' },
    result: 'addProjectMembers',
    passUnknownEnum,
    ...added,
  },
  {
    method: 'PUT',
    path: '/projects/:id/members/:user_id',
    ...mutation('UpdateProjectMember', 'updateProjectMember.member', '...MemberRecord'),
    omitNull,
    passUnknownEnum,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/members/:user_id',
    operation: operations.RemoveProjectMemberDocument,
    result: 'removeProjectMember',
    status: 204,
  },
];
