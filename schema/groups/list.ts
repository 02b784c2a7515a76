import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { sortField } from '#schema/inputs.ts';
import { idsOf } from '#schema/node/plugin.ts';
import type { GroupOrder } from '#src/domain/groups/list.ts';
import type { Direction } from '#src/platform/page.ts';

const Order = builder.enumType('GroupOrder', {
  description: 'Ways to order groups.',
  values: {
    NAME: { value: 'name', description: 'By display name, in alphabetical order.' },
    PATH: { value: 'path', description: 'By the last part of the path.' },
    ID: { value: 'id', description: 'By number, and so by age.' },
    SIMILARITY: {
      value: 'similarity',
      description: 'By how similar the name is to the text searched for; by name without one.',
    },
  } as const,
});

/** The arguments of every sortable list of groups. */
export const groupListArgs = builder.args((t) => ({
  ...pageArgs,
  search: t.string({ description: 'Only groups with this text in name or path, in any case.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'name',
    description: 'What to sort the groups by.',
  }),
  sort: sortField(t, 'asc'),
}));

/** The filters of lists of groups, beside the text. */
export const groupFilterArgs = builder.args((t) => ({
  skipGroups: t.field({ ...idsOf('Group'), description: 'IDs of groups to leave out.' }),
  visibility: t.field({ type: Visibility, description: 'Only groups that these people can see.' }),
  minAccessLevel: t.field({
    type: AccessLevel,
    description: 'Only groups in which the caller has at least this effective access level.',
  }),
  topLevelOnly: t.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether to only list groups without a parent group.',
  }),
  active: t.boolean({ description: 'Whether to only list groups in use, as all are; false lists none.' }),
  archived: t.boolean({ description: 'Whether to only list archived groups, of which there are none.' }),
  customAttributes: t.field({
    type: 'JSON',
    description:
      'Only groups with all of these custom attributes: an object of values by their keys, at most 20; ignored unless the caller is an administrator.',
  }),
}));

/** The order requested by the arguments. */
export function groupOrder(args: { orderBy: GroupOrder['by']; sort: Direction }): GroupOrder {
  return { by: args.orderBy, direction: args.sort };
}
