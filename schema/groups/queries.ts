import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { Group, GroupConnection } from '#schema/groups/types.ts';
import { findGroup } from '#src/groups/find.ts';
import { listGroups, listSubgroups } from '#src/groups/list.ts';

const GroupOrderBy = builder.enumType('GroupOrderBy', {
  description: 'What groups are ordered by.',
  values: {
    NAME: { value: 'name', description: 'Their name.' },
    PATH: { value: 'path', description: 'Their own part of addresses.' },
  } as const,
});

builder.queryFields((t) => ({
  group: t.field({
    type: Group,
    description: 'A group that the caller may see.',
    args: { ref: t.arg({ type: 'GroupRef', required: true, description: 'Which group.' }) },
    resolve: (_root, { ref }, context) => findGroup(context, ref),
  }),
  groups: t.field({
    type: GroupConnection,
    description:
      'The groups of which the caller is a member, directly or through a group around; all for administrators.',
    args: {
      ...pageArgs,
      search: t.arg.string({ description: 'Only those with this text in name or path.' }),
      owned: t.arg.boolean({ description: 'Only those of which the caller is directly an owner.' }),
      allAvailable: t.arg.boolean({ description: 'All that the caller may see.' }),
      skipGroups: t.arg.intList({ description: 'Numeric IDs of groups to leave out.' }),
      orderBy: t.arg({
        type: GroupOrderBy,
        description: 'What they are ordered by; NAME when nothing is said.',
      }),
      sort: t.arg({ type: SortDirection, description: 'Which end comes first; ASC when nothing is said.' }),
    },
    resolve: (_root, args, context, info) => {
      const order = { by: args.orderBy ?? 'name', direction: args.sort ?? 'asc' };
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
