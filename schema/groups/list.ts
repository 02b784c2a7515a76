import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { sortField } from '#schema/inputs.ts';
import type { GroupOrder } from '#src/domain/groups/list.ts';
import type { Direction } from '#src/platform/page.ts';

const Order = builder.enumType('GroupOrder', {
  description: 'Ways to order groups.',
  values: {
    NAME: { value: 'name', description: 'By display name, in alphabetical order.' },
    PATH: { value: 'path', description: 'By the last part of the path.' },
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

/** The order requested by the arguments. */
export function groupOrder(args: { orderBy: GroupOrder['by']; sort: Direction }): GroupOrder {
  return { by: args.orderBy, direction: args.sort };
}
