import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const passUnknownEnum = ['access_level'];

export const members: Route[] = [
  { method: 'GET', path: '/groups/:id/members', operation: operations.GroupMembersDocument, result: 'group.members' },
  {
    method: 'GET',
    path: '/groups/:id/members/:user_id',
    operation: operations.GroupMemberDocument,
    result: 'group.member',
  },
  {
    method: 'POST',
    path: '/groups/:id/members',
    operation: operations.AddGroupMemberDocument,
    result: 'addGroupMember.member',
    passUnknownEnum,
  },
  {
    method: 'PUT',
    path: '/groups/:id/members/:user_id',
    operation: operations.UpdateGroupMemberDocument,
    result: 'updateGroupMember.member',
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
  },
  {
    method: 'GET',
    path: '/projects/:id/members/:user_id',
    operation: operations.ProjectMemberDocument,
    result: 'project.member',
  },
  {
    method: 'POST',
    path: '/projects/:id/members',
    operation: operations.AddProjectMemberDocument,
    result: 'addProjectMember.member',
    passUnknownEnum,
  },
  {
    method: 'PUT',
    path: '/projects/:id/members/:user_id',
    operation: operations.UpdateProjectMemberDocument,
    result: 'updateProjectMember.member',
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
