import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { sortField } from '#schema/inputs.ts';
import type { GroupOrder } from '#src/groups/list.ts';
import type { Direction } from '#src/platform/page.ts';

const Order = builder.enumType('GroupOrder', {
  description: 'What groups are ordered by.',
  values: {
    NAME: { value: 'name', description: 'Their display name, letter by letter.' },
    PATH: { value: 'path', description: 'Their own part of addresses.' },
  } as const,
});

/** The arguments of every list of groups with an order of its own. */
export const groupListArgs = builder.args((t) => ({
  ...pageArgs,
  search: t.string({ description: 'Only groups with this text in name or path, in any case.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'name',
    description: 'What the groups are ordered by.',
  }),
  sort: sortField(t, 'asc'),
}));

/** The order that the arguments name. */
export function groupOrder(args: { orderBy: GroupOrder['by']; sort: Direction }): GroupOrder {
  return { by: args.orderBy, direction: args.sort };
}
