import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import type { GroupOrder } from '#src/groups/list.ts';
import type { Direction } from '#src/platform/page.ts';

const GroupOrderBy = builder.enumType('GroupOrderBy', {
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
  orderBy: t.field({ type: GroupOrderBy, description: 'What the groups are ordered by; NAME by default.' }),
  sort: t.field({ type: SortDirection, description: 'Which end of the order comes first; ASC by default.' }),
}));

/** The order that the arguments name. */
export function groupOrder(args: { orderBy?: GroupOrder['by'] | null; sort?: Direction | null }): GroupOrder {
  return { by: args.orderBy ?? 'name', direction: args.sort ?? 'asc' };
}
