import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { accessRequestFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { page, picture, userFields } from '#schema/members/user_fields.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { accessRequestOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { listAccessRequests } from '#src/domain/members/access_requests/list.ts';

export const AccessRequest = builder.prismaObject('AccessRequest', {
  description: 'A user’s request to become a member of a project or group.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the request.',
      resolve: ({ id }) => toGlobalId('AccessRequest', id),
    }),
    ...userFields(t as never),
    avatarUrl: t.string(picture),
    webUrl: t.string(page),
    requestedAt: t.expose('requestedAt', { type: 'DateTime', description: 'When the user asked for access.' }),
  }),
});

const AccessRequestConnection = connectionOf('AccessRequest', AccessRequest);

builder.objectFields(Project, (t) => ({
  accessRequests: t.field({
    type: AccessRequestConnection,
    description: 'The open requests for access to the project, oldest first. For its masters.',
    args: { ...pageArgs, ...accessRequestFilter, ...accessRequestOrder('ID', 'asc') },
    resolve: (record, args, context, info) =>
      pageBelow('AccessRequest', { kind: 'project', record } as const, args, context, info, listAccessRequests),
  }),
}));

builder.objectFields(Group, (t) => ({
  accessRequests: t.field({
    type: AccessRequestConnection,
    description: 'The open requests for access to the group, oldest first. For its owners.',
    args: { ...pageArgs, ...accessRequestFilter, ...accessRequestOrder('ID', 'asc') },
    resolve: (record, args, context, info) =>
      pageBelow('AccessRequest', { kind: 'group', record } as const, args, context, info, listAccessRequests),
  }),
}));
