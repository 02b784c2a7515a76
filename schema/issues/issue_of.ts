import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { select } from '#src/platform/records/selection.ts';

const ID = select('Issue', { id: true });

/** The issue of a record, batched for the records of a list; null if the caller may not see it. */
export function issueOf(context: GraphQLContext, info: GraphQLResolveInfo, id: number): Promise<{ id: number } | null> {
  const selection = selectionAt(info, 'Issue').with(ID);
  return loaderAt(context, info, selection, async (ids: readonly number[]) => {
    const issues = await findIssuesByIds(context, ids, selection, (project) => context.loaders.project.load(project));
    const found = new Map(issues.map((issue) => [issue.id, issue]));
    return ids.map((one) => found.get(one) ?? null);
  }).load(id);
}
