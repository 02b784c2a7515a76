import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findGroupsByIds, type GroupRow } from '#src/domain/groups/find.ts';

/** The group of a record, batched for the records of a list; null if the caller may not see it. */
export async function groupOf(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  id: number | null,
): Promise<GroupRow | null> {
  if (id === null) return null;
  const selection = selectionAt(info, 'Namespace');
  return loaderAt(context, info, selection, async (ids: readonly number[]) => {
    const found = new Map((await findGroupsByIds(context, ids, selection)).map((group) => [group.id, group]));
    return ids.map((one) => found.get(one) ?? null);
  }).load(id);
}
