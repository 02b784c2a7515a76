import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findLabelsByIds } from '#src/domain/tracking/labels/list.ts';
import { select } from '#src/platform/records/selection.ts';

const ID = select('Label', { id: true });

/** The label of a record, batched for the records of a list; null without one, and if the caller may not see it. */
export async function labelOf(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  id: number | null,
): Promise<{ id: number } | null> {
  if (id === null) return null;
  const selection = selectionAt(info, 'Label').with(ID);
  return loaderAt(context, info, selection, async (ids: readonly number[]) => {
    const labels = await findLabelsByIds(context, ids, selection, (project) => context.loaders.project.load(project));
    const found = new Map(labels.map((label) => [label.id, label]));
    return ids.map((one) => found.get(one) ?? null);
  }).load(id);
}
