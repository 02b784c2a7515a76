import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group, GroupConnection } from '#schema/groups/types.ts';
import { onlyField, sortField } from '#schema/inputs.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { findGroup } from '#src/groups/find.ts';
import { listGroups, listSubgroups } from '#src/groups/list.ts';

const Order = builder.enumType('GroupOrder', {
  description: 'What groups are ordered by.',
  values: {
    NAME: { value: 'name', description: 'Their name.' },
    PATH: { value: 'path', description: 'Their own part of addresses.' },
  } as const,
});

const groupArgs = builder.args((t) => ({
  ...pageArgs,
  search: t.string({ description: 'Only groups with this text in name or path.' }),
  owned: onlyField(t, 'groups of which the caller is directly an owner'),
  allAvailable: t.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether to list all groups that the caller may see, not only those with a membership.',
  }),
  skipGroups: t.field({ ...idsOf('Group'), description: 'IDs of groups to leave out.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'name',
    description: 'What the groups are ordered by.',
  }),
  sort: sortField(t, 'asc'),
}));

builder.queryFields((t) => ({
  group: t.field({
    type: Group,
    description: 'A group that the caller may see.',
    args: {
      ref: t.arg({ type: 'GroupRef', required: true, description: 'The group: full path, global ID or numeric ID.' }),
    },
    resolve: (_root, { ref }, context) => findGroup(context, ref),
  }),
  groups: t.field({
    type: GroupConnection,
    description:
      'The groups of which the caller is a member, directly or through a group around; all for administrators.',
    args: groupArgs,
    resolve: (_root, args, context, info) => {
      const order = { by: args.orderBy, direction: args.sort };
      return loadPage(args, info, (page) => listGroups(context, args, order, page));
    },
  }),
}));

builder.objectFields(Group, (t) => ({
  subgroups: t.field({
    type: GroupConnection,
    description: 'The groups directly inside that the caller sees, by name.',
    args: pageArgs,
    resolve: (group, args, context, info) => loadPage(args, info, (page) => listSubgroups(context, group, page)),
  }),
}));
