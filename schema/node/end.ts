import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { recordAt } from '#schema/node/finders.ts';

/** The ID of a record of a type; null without one. */
export type End = readonly [type: string, id: number | null | undefined] | null;

/** The resolver of a field with the record at the other end of a numeric ID (recordAt). */
export function end<Row>(of: (row: Row) => End) {
  return (row: Row, _args: object, context: GraphQLContext, info: GraphQLResolveInfo) => {
    const found = of(row);
    return (found && recordAt(context, info, ...found)) as Promise<never> | null;
  };
}
