import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const passUnknownEnum = ['access_level'];
const invited = {
  omitNull: ['message'],
  commaSeparated: ['email', 'user_id'],
  passUnknownEnum,
  hidden: ['hand_over'],
} as const;
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
    ...mutation('UpdateProjectInvitation', 'updateInvitation.invitation', '...InvitationRecord'),
    ...changed,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/invitations/:email',
    ...mutation('DeleteProjectInvitation', 'deleteInvitation', 'deletedInvitationEmail'),
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
    ...mutation('UpdateGroupInvitation', 'updateInvitation.invitation', '...InvitationRecord'),
    ...changed,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/invitations/:email',
    ...mutation('DeleteGroupInvitation', 'deleteInvitation', 'deletedInvitationEmail'),
    status: 204,
  },
];
