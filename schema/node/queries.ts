import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { MAX_LIMIT } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { findByKey } from '#schema/node/by_key.ts';
import { type Found, findRecords, isFound } from '#schema/node/finders.ts';
import { naturalKeyOf } from '#schema/node/global_id.ts';
import { fromGlobalId, Node } from '#schema/node/types.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** The records with these global IDs, in their order; null for unknown IDs and those that the caller may not see. */
async function findNodes(
  context: GraphQLContext,
  globalIds: readonly string[],
  info: GraphQLResolveInfo,
): Promise<(Found | null)[]> {
  const wanted = globalIds.map((globalId) => fromGlobalId(globalId));
  const found = new Map<string, Found>();
  await Promise.all(
    [...new Set(wanted.flatMap((one) => (one && isFound(one.type) ? one.type : [])))].map(async (type) => {
      const ids = [...new Set(wanted.flatMap((one) => (one?.type === type ? one.id : [])))];
      for (const record of await findRecords(context, type, ids, info)) found.set(`${type}:${record.id}`, record);
    }),
  );
  const byKey = await Promise.all(globalIds.map((globalId) => findNatural(context, globalId)));
  return wanted.map((one, index) => (one ? (found.get(`${one.type}:${one.id}`) ?? null) : (byKey[index] ?? null)));
}

/** What has no row, by the natural key in its ID. */
async function findNatural(context: GraphQLContext, globalId: string): Promise<Found | null> {
  const named = naturalKeyOf(globalId);
  const found = named && (await findByKey(context, named.type, named.key));
  return found && ({ ...found, __typename: named.type } as Found);
}

/** The record of a type with that ID, with what is selected of it. Throws NotFound if there is none, or the caller may not see it. */
export async function findOne(
  context: GraphQLContext,
  type: string,
  id: number,
  info: GraphQLResolveInfo,
): Promise<Found> {
  const [found] = await findRecords(context, type, [id], info);
  if (!found) throw new NotFound(type);
  return found;
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with a global ID; null if there is none or the caller cannot see it.',
    args: { id: t.arg.id({ required: true, description: 'Global ID, from the field `id` of a record.' }) },
    resolve: async (_root, { id }, context, info) => (await findNodes(context, [id], info))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: `The records with these global IDs, at most ${MAX_LIMIT}, in the given order; null in place of each that does not exist or that the caller cannot see.`,
    args: {
      ids: t.arg.idList({ required: true, description: 'Global IDs, of any types and in any order.' }),
    },
    resolve: (_root, { ids }, context, info) => {
      if (ids.length > MAX_LIMIT) throw new BadRequest(`ids has too many entries (maximum is ${MAX_LIMIT})`);
      return findNodes(context, ids, info);
    },
  }),
}));
