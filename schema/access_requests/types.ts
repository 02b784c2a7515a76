import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { userFields } from '#schema/members/user_fields.ts';
import { Project } from '#schema/projects/types.ts';
import { type AccessRequestRow, listAccessRequests } from '#src/access_requests/list.ts';

export const AccessRequest = builder.objectRef<AccessRequestRow>('AccessRequest');
AccessRequest.implement({
  description: 'The wish of a user to become a member of a project or group.',
  fields: (t) => ({
    ...userFields(t),
    requestedAt: t.expose('requestedAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const AccessRequestConnection = connectionOf('AccessRequest', AccessRequest);

builder.objectFields(Project, (t) => ({
  accessRequests: t.field({
    type: AccessRequestConnection,
    description: 'The open requests for access to it, oldest first. For its masters.',
    args: pageArgs,
    resolve: (record, args, context, info) =>
      loadPage(args, info, (page) => listAccessRequests(context, { kind: 'project', record }, page)),
  }),
}));

builder.objectFields(Group, (t) => ({
  accessRequests: t.field({
    type: AccessRequestConnection,
    description: 'The open requests for access to it, oldest first. For its owners.',
    args: pageArgs,
    resolve: (record, args, context, info) =>
      loadPage(args, info, (page) => listAccessRequests(context, { kind: 'group', record }, page)),
  }),
}));
