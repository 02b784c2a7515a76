import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const passUnknownEnum = ['access_level'];
const invited = { omitNull: ['message'], commaSeparated: ['email', 'user_id'], passUnknownEnum } as const;
const changed = { atLeastOne: ['access_level', 'expires_at'], passUnknownEnum } as const;

export const invitations: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/invitations',
    operation: operations.ProjectInvitationsDocument,
    result: 'project.invitations',
  },
  {
    method: 'POST',
    path: '/projects/:id/invitations',
    operation: operations.InviteProjectMembersDocument,
    names: { emails: 'email', user_ids: 'user_id' },
    result: 'inviteMembers',
    ...invited,
  },
  {
    method: 'PUT',
    path: '/projects/:id/invitations/:email',
    operation: operations.UpdateProjectInvitationDocument,
    result: 'updateInvitation.invitation',
    ...changed,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/invitations/:email',
    operation: operations.DeleteProjectInvitationDocument,
    result: 'deleteInvitation',
    status: 204,
  },
  {
    method: 'GET',
    path: '/groups/:id/invitations',
    operation: operations.GroupInvitationsDocument,
    result: 'group.invitations',
  },
  {
    method: 'POST',
    path: '/groups/:id/invitations',
    operation: operations.InviteGroupMembersDocument,
    names: { emails: 'email', user_ids: 'user_id' },
    result: 'inviteMembers',
    ...invited,
  },
  {
    method: 'PUT',
    path: '/groups/:id/invitations/:email',
    operation: operations.UpdateGroupInvitationDocument,
    result: 'updateInvitation.invitation',
    ...changed,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/invitations/:email',
    operation: operations.DeleteGroupInvitationDocument,
    result: 'deleteInvitation',
    status: 204,
  },
];
