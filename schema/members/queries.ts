import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { Member, MemberConnection } from '#schema/members/types.ts';
import { Project } from '#schema/projects/types.ts';
import { findMember, listMembers } from '#src/members/list.ts';

const memberArgs = builder.args((t) => ({
  ...pageArgs,
  query: t.string({
    description:
      'Only those with this text in name or username, or with this whole primary e-mail address; administrators find parts of it too.',
  }),
}));
const userArgs = builder.args((t) => ({
  userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
}));

builder.objectFields(Project, (t) => ({
  members: t.field({
    type: MemberConnection,
    description: 'Its direct members, newest users first.',
    args: memberArgs,
    resolve: (record, args, context, info) =>
      loadPage(args, info, (page) => listMembers(context, { kind: 'project', record }, args, page)),
  }),
  member: t.field({
    type: Member,
    description: 'One of its direct members.',
    args: userArgs,
    resolve: (record, { userId }, context) => findMember(context, { kind: 'project', record }, userId),
  }),
}));

builder.objectFields(Group, (t) => ({
  members: t.field({
    type: MemberConnection,
    description: 'Its direct members, newest users first.',
    args: memberArgs,
    resolve: (record, args, context, info) =>
      loadPage(args, info, (page) => listMembers(context, { kind: 'group', record }, args, page)),
  }),
  member: t.field({
    type: Member,
    description: 'One of its direct members.',
    args: userArgs,
    resolve: (record, { userId }, context) => findMember(context, { kind: 'group', record }, userId),
  }),
}));
