import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findMilestonesByIds } from '#src/domain/tracking/milestones/list.ts';

/** The milestone of a record, batched for the records of a list; null without one, and if the caller may not see it. */
export async function milestoneOf(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  id: number | null,
): Promise<{ id: number } | null> {
  if (id === null) return null;
  const selection = selectionAt(info, 'Milestone');
  return loaderAt(context, info, selection, async (ids: readonly number[]) => {
    const projectOf = (project: number) => context.loaders.project.load(project);
    const milestones = await findMilestonesByIds(context, ids, selection, projectOf);
    const found = new Map(milestones.map((milestone) => [milestone.id, milestone]));
    return ids.map((one) => found.get(one) ?? null);
  }).load(id);
}
