import { builder } from '#schema/builder.ts';
import { ListOrder } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import type { Direction } from '#src/platform/page.ts';
import type { Columns, ModelName } from '#src/platform/records/model.ts';

interface Described<M extends ModelName> {
  /** The columns, in the order of an index; the last of them tells all records of a list apart. */
  by: readonly (keyof Columns[M] & string)[];
  /** Where records are of which the first column is null, if it may be. */
  nulls?: 'last';
  description: string;
}

/** The order by the numbers of records, which rise with their age. */
export const BY_ID = { by: ['id'], description: 'By number, and so by age.' } as const;

/**
 * Declares the orders of lists of a model, each of which an index serves: the enum `<name>Order`, and a function that makes the
 * arguments `orderBy` and `sort` of a list from the order that it has by itself. `loadPage` hands on which was chosen, so that lists that are
 * read by `pageOfRows` need nothing else.
 *
 * @param what the records in words: `variables`
 */
export function listOrder<M extends ModelName, Name extends string>(
  _model: M,
  name: string,
  what: string,
  orders: Readonly<Record<Name, Described<M>>>,
) {
  const values = Object.fromEntries(
    Object.entries<Described<M>>(orders).map(([key, { by, nulls, description }]) => [
      key,
      // Pothos' types have texts and numbers only.
      { value: new ListOrder(by, nulls) as unknown as string, description },
    ]),
  );
  const type = builder.enumType(`${name}Order`, { description: `Ways to order ${what}.`, values });
  return (own: Name, direction: Direction) =>
    builder.args((t) => ({
      orderBy: t.field({
        type,
        required: true,
        defaultValue: values[own]?.value,
        description: `What the ${what} are ordered by.`,
      }),
      sort: t.field({
        type: SortDirection,
        required: true,
        defaultValue: direction,
        description: 'Direction of the order.',
      }),
    }));
}
