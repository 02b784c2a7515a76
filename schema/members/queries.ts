import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { Member, MemberConnection } from '#schema/members/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findMember, listMembers } from '#src/domain/members/list.ts';

const memberArgs = builder.args((t) => ({
  ...pageArgs,
  search: t.string({
    description:
      'Only members with this text in name or username, or with this whole primary e-mail address; administrators can also search by parts of addresses.',
  }),
}));
const userArgs = builder.args((t) => ({
  userId: t.field({
    ...idOf('User'),
    required: true,
    description: 'Global or numeric ID of the user.',
  }),
}));

builder.objectFields(Project, (t) => ({
  members: t.field({
    type: MemberConnection,
    description: 'The direct members, newest users first. Members of parent groups are not included.',
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
    description: 'A direct member by the ID of the user.',
    args: userArgs,
    resolve: (record, { userId }, context, info) =>
      findMember(context, { kind: 'project', record }, userId, selectionAt(info, 'Member')),
  }),
}));

builder.objectFields(Group, (t) => ({
  members: t.field({
    type: MemberConnection,
    description: 'The direct members, newest users first. Members of parent groups are not included.',
    args: memberArgs,
    resolve: (record, args, context, info) =>
      pageBelow('Member', { kind: 'group', record } as const, args, context, info, (...[, sources, page, selection]) =>
        listMembers(context, sources, args, page, selection),
      ),
  }),
  member: t.field({
    type: Member,
    description: 'A direct member by the ID of the user.',
    args: userArgs,
    resolve: (record, { userId }, context, info) =>
      findMember(context, { kind: 'group', record }, userId, selectionAt(info, 'Member')),
  }),
}));
