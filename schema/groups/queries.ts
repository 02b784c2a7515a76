import { builder } from '#schema/builder.ts';
import { loadPage } from '#schema/connection.ts';
import { groupFilterArgs, groupListArgs, groupOrder } from '#schema/groups/list.ts';
import { Group, GroupConnection } from '#schema/groups/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { listGroups, listRelatedGroups } from '#src/domain/groups/list.ts';

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
      ...groupFilterArgs,
      owned: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to only list groups that the caller owns.',
      }),
      allAvailable: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to list all groups that the caller can see, not only their own.',
      }),
    },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listGroups(context, args, groupOrder(args), page, selectionAt(info, 'Namespace'))),
  }),
}));

const relatedArgs = { ...groupListArgs, ...groupFilterArgs };

builder.objectFields(Group, (t) => {
  const related = (relation: Parameters<typeof listRelatedGroups>[2], description: string) =>
    t.field({
      type: GroupConnection,
      description,
      args: relatedArgs,
      resolve: (group, args, context, info) =>
        pageBelow('Namespace', group, args, context, info, (_context, groups, page, selection) =>
          listRelatedGroups(context, groups, relation, { filter: args, by: groupOrder(args) }, page, selection),
        ),
    });
  return {
    subgroups: related('children', 'The direct subgroups that the caller can see.'),
    descendantGroups: related('descendants', 'The groups on all levels below the group that the caller can see.'),
    sharedGroups: related(
      'shared',
      'The groups that are shared with the members of the group, and that the caller can see.',
    ),
  };
});
