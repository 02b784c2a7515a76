import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import { page, picture, publicEmail, userFields } from '#schema/members/user_fields.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import '#schema/users/types.ts';

export const Member = builder.prismaObject('Member', {
  description: 'A membership of a project or group, or of one that gives access to it.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the membership.',
      resolve: ({ id }) => toGlobalId('Member', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the membership.' }),
    ...userFields(t as never),
    avatarUrl: t.string(picture),
    webUrl: t.string(page),
    publicEmail: t.string(publicEmail),
    accessLevel: t.expose('accessLevel', {
      type: AccessLevel,
      description: 'Level of the membership, which says what it allows.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'The membership ends at 00:00 UTC on this day; null when it never ends.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the membership began.' }),
    createdBy: t.relation('createdBy', {
      nullable: true,
      description: 'The user who gave the membership; null for the first owner, and if it is not known.',
    }),
    groupId: t.exposeInt('namespaceId', {
      nullable: true,
      description:
        'Numeric ID of the group that the membership is of; null for one of a project. In lists with those who have inherited access it tells from where; see also `group`.',
    }),
    group: t.field({
      type: Group,
      nullable: true,
      description:
        'The group that the membership is of; null for one of a project, and if the caller cannot see the group.',
      select: { namespaceId: true },
      resolve: ({ namespaceId }, _args, context, info) =>
        namespaceId === null ? null : groupOf(context, info, namespaceId),
    }),
    usesSeat: t.boolean({
      description: 'Whether the member counts as a person: users of access tokens and service accounts do not.',
      select: { user: { select: { bot: true } } },
      resolve: ({ user }) => !user.bot,
    }),
    membershipState: t.string({
      description: 'Always `active`: who has yet to accept an invitation, or waits for access, is no member.',
      resolve: () => 'active',
    }),
  }),
});

export const MemberConnection = connectionOf('Member', Member);
