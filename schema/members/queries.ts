import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { memberFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { Member, MemberConnection } from '#schema/members/types.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { memberOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findMember, listMembers } from '#src/domain/members/list.ts';

const INHERITED =
  'Whether to include everybody who has access: by a parent group or by a share with a group, too. Each user is listed once, with the highest level.';

const memberArgs = builder.args((t) => ({
  ...pageArgs,
  ...memberFilter,
  ...memberOrder('USER_ID', 'desc'),
  includeInherited: t.boolean({ required: true, defaultValue: false, description: INHERITED }),
  userIds: t.field({ ...idsOf('User'), description: 'Only members with these IDs.' }),
  skipUsers: t.field({ ...idsOf('User'), description: 'IDs of users to leave out.' }),
  search: t.string({
    description:
      'Only members with this text in name or username, or with this whole e-mail address if it is public; administrators also find by parts of any primary address.',
  }),
}));
const groupMemberArgs = builder.args((t) => ({
  ...memberArgs,
  includeDescendants: t.boolean({
    required: true,
    defaultValue: false,
    description:
      'Whether to include the direct members of the groups below that the caller can see. Each user is listed once, with the highest level.',
  }),
}));
const userArgs = builder.args((t) => ({
  includeInherited: t.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether to find whoever has access, by a parent group or by a share with a group, too.',
  }),
  userId: t.field({
    ...idOf('User'),
    required: true,
    description: 'Global or numeric ID of the user.',
  }),
}));

builder.objectFields(Project, (t) => ({
  members: t.field({
    type: MemberConnection,
    description: 'The members, newest users first: the direct ones, or all who have access.',
    args: memberArgs,
    resolve: (record, args, context, info) =>
      pageBelow(
        'Member',
        { kind: 'project', record } as const,
        args,
        context,
        info,
        (...[, sources, page, selection]) => listMembers(context, sources, args, page, selection),
      ),
  }),
  member: t.field({
    type: Member,
    description: 'A member by the ID of the user: a direct one, or whoever has access.',
    args: userArgs,
    resolve: (record, { userId, includeInherited }, context, info) =>
      findMember(context, { kind: 'project', record }, userId, selectionAt(info, 'Member'), { includeInherited }),
  }),
}));

builder.objectFields(Group, (t) => ({
  members: t.field({
    type: MemberConnection,
    description: 'The members, newest users first: the direct ones, or all who have access.',
    args: groupMemberArgs,
    resolve: (record, args, context, info) =>
      pageBelow('Member', { kind: 'group', record } as const, args, context, info, (...[, sources, page, selection]) =>
        listMembers(context, sources, args, page, selection),
      ),
  }),
  member: t.field({
    type: Member,
    description: 'A member by the ID of the user: a direct one, or whoever has access.',
    args: userArgs,
    resolve: (record, { userId, includeInherited }, context, info) =>
      findMember(context, { kind: 'group', record }, userId, selectionAt(info, 'Member'), { includeInherited }),
  }),
}));
