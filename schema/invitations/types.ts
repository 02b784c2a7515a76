import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { invitationFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { invitationOrder } from '#schema/orders.ts';
import { groupOfPlace, projectOfPlace } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findInvitation, listInvitations } from '#src/domain/members/invitations/list.ts';
import '#schema/users/types.ts';

export const Invitation = builder.prismaObject('Invitation', {
  description: 'An email address without an account that was invited to become a member of a project or group.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the invitation.',
      resolve: ({ id }) => toGlobalId('Invitation', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the invitation.' }),
    project: t.field(projectOfPlace),
    group: t.field(groupOfPlace),
    email: t.exposeString('email', { description: 'The address that was invited, in lower case.' }),
    accessLevel: t.expose('accessLevel', {
      type: AccessLevel,
      description: 'Level of the membership that the invitation leads to.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the membership ends, at 00:00 UTC of a day; null when it never ends.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the address was invited.' }),
    createdBy: t.relation('createdBy', { description: 'The user who invited, or who last changed the level.' }),
    createdByName: t.string({
      description: 'Display name of the user who invited.',
      ...viaRelation('createdBy', 'name'),
    }),
    userName: t.exposeString('userName', {
      nullable: true,
      description: 'Display name of the user whose confirmed address it is by now; null if nobody’s.',
    }),
  }),
});

const InvitationConnection = connectionOf('Invitation', Invitation);

const listArgs = builder.args((t) => ({
  ...pageArgs,
  ...invitationFilter,
  ...invitationOrder('ID', 'asc'),
  search: t.string({ description: 'Only the invitation of this whole email address, ignoring case.' }),
}));

const invitationArgs = builder.args((t) => ({
  email: t.string({ required: true, description: 'The address that was invited, ignoring case.' }),
}));

builder.objectFields(Project, (t) => ({
  invitations: t.field({
    type: InvitationConnection,
    description: 'The pending invitations to the project, oldest first. For its masters.',
    args: listArgs,
    resolve: (record, args, context, info) =>
      pageBelow(
        'Invitation',
        { kind: 'project', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) => listInvitations(context, sources, args, page, selection),
      ),
  }),
  invitation: t.field({
    type: Invitation,
    description: 'The pending invitation of an address to the project. For masters of the project.',
    args: invitationArgs,
    resolve: (record, { email }, context, info) =>
      findInvitation(context, { kind: 'project', record }, email, selectionAt(info, 'Invitation')),
  }),
}));

builder.objectFields(Group, (t) => ({
  invitations: t.field({
    type: InvitationConnection,
    description: 'The pending invitations to the group, oldest first. For its owners.',
    args: listArgs,
    resolve: (record, args, context, info) =>
      pageBelow(
        'Invitation',
        { kind: 'group', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) => listInvitations(context, sources, args, page, selection),
      ),
  }),
  invitation: t.field({
    type: Invitation,
    description: 'The pending invitation of an address to the group. For owners of the group.',
    args: invitationArgs,
    resolve: (record, { email }, context, info) =>
      findInvitation(context, { kind: 'group', record }, email, selectionAt(info, 'Invitation')),
  }),
}));
