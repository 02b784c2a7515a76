import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { groupListArgs, groupOrder } from '#schema/groups/list.ts';
import { Group, GroupConnection } from '#schema/groups/types.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { listGroups, listSubgroups } from '#src/domain/groups/list.ts';

builder.queryFields((t) => ({
  group: t.field({
    type: Group,
    description: 'A group by numeric ID or full path, if the caller can see it.',
    args: { ref: t.arg({ type: 'GroupRef', required: true, description: 'Numeric ID or full path of the group.' }) },
    resolve: (_root, { ref }, context, info) => findGroup(context, ref, selectionAt(info, 'Namespace')),
  }),
  groups: t.field({
    type: GroupConnection,
    description:
      'The groups that the caller is a member of, directly or through a parent group; for administrators, all groups.',
    args: {
      ...groupListArgs,
      owned: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to only list groups that the caller directly owns.',
      }),
      allAvailable: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to list all groups that the caller can see, not only their own.',
      }),
      skipGroups: t.arg({ ...idsOf('Group'), description: 'IDs of groups to leave out.' }),
    },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listGroups(context, args, groupOrder(args), page, selectionAt(info, 'Namespace'))),
  }),
}));

builder.objectFields(Group, (t) => ({
  subgroups: t.field({
    type: GroupConnection,
    description: 'The direct subgroups that the caller can see, by name.',
    args: pageArgs,
    resolve: (group, args, context, info) => pageBelow('Namespace', group, args, context, info, listSubgroups),
  }),
}));
