import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import {
  countClosingMergeRequests,
  listClosingMergeRequests,
  listMergeRequestsAbout,
} from '#src/domain/tracking/merge_requests/of_issue.ts';

builder.prismaObjectFields(Issue, (t) => ({
  relatedMergeRequests: t.field({
    type: MergeRequestConnection,
    description:
      'The merge requests of all projects that mention the issue in their texts or notes, or that it mentions, by ID, as far as the caller can see them.',
    args: pageArgs,
    select: { id: true },
    resolve: ({ id }, args, context, info) =>
      pageBelow('MergeRequest', id, args, context, info, (_context, ids, page, selection) =>
        listMergeRequestsAbout(context, ids, page, selection),
      ),
  }),
  closingMergeRequests: t.field({
    type: MergeRequestConnection,
    description:
      'The merge requests of the project, in any state, whose title or description says that merging them into the default branch closes the issue, by ID, as far as the caller can see them.',
    args: pageArgs,
    select: { id: true },
    resolve: ({ id }, args, context, info) =>
      pageBelow('MergeRequest', id, args, context, info, (_context, ids, page, selection) =>
        listClosingMergeRequests(context, ids, page, selection),
      ),
  }),
  mergeRequestsCount: t.int({
    description: 'Number of `closingMergeRequests` that the caller can see.',
    select: { id: true, isMentionedByMergeRequest: true },
    resolve: ({ id, isMentionedByMergeRequest }, _args, context, info) => {
      if (!isMentionedByMergeRequest) return 0;
      const load = (ids: readonly number[]) => countClosingMergeRequests(context, ids);
      return loaderAt(context, info, { key: '' }, load).load(id);
    },
  }),
}));
