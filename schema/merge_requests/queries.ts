import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { sortField } from '#schema/inputs.ts';
import { Label } from '#schema/labels/types.ts';
import { peopleFilterFields } from '#schema/merge_requests/people_filter.ts';
import { MergeRequest, MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { byPlace, placeBase } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { subjectFilterFields } from '#schema/subjects/filter.ts';
import { findMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { listMergeRequestsOf, type MergeRequestOrder } from '#src/domain/tracking/merge_requests/list.ts';
import { listMergeRequestsAcross } from '#src/domain/tracking/merge_requests/list_across.ts';
import type { Direction } from '#src/platform/page.ts';

const MergeRequestStateFilter = builder.enumType('MergeRequestStateFilter', {
  description: 'The states that lists of merge requests can be narrowed to.',
  values: {
    OPENED: { value: 'opened', description: 'Only merge requests that are open.' },
    CLOSED: { value: 'closed', description: 'Only merge requests that were closed without being merged.' },
    MERGED: { value: 'merged', description: 'Only merge requests that were merged.' },
    ALL: { value: 'all', description: 'Merge requests in any state.' },
  } as const,
});

const Order = builder.enumType('MergeRequestOrder', {
  description: 'Ways to order merge requests.',
  values: {
    CREATED_AT: { value: 'created_at', description: 'By time of creation.' },
    UPDATED_AT: { value: 'updated_at', description: 'By time of the last change.' },
  } as const,
});

const MergeRequestFilter = builder.inputType('MergeRequestFilter', {
  description: 'Which merge requests a list has: those that match all fields.',
  fields: (t) => ({
    state: t.field({ type: MergeRequestStateFilter, description: 'Only merge requests in this state.' }),
    sourceBranch: t.string({ description: 'Only merge requests that come from a branch of this name.' }),
    targetBranch: t.string({ description: 'Only merge requests into the branch of this name.' }),
    ...subjectFilterFields(t, 'merge requests'),
    ...peopleFilterFields(t),
    draft: t.boolean({ description: 'Whether to list only drafts, or only merge requests that are none.' }),
  }),
});

const mergeRequestArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: MergeRequestFilter, description: 'Which merge requests to list; all if left out.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What to sort the merge requests by.',
  }),
  sort: sortField(t, 'desc'),
}));

function order(args: { orderBy: MergeRequestOrder['by']; sort: Direction }): MergeRequestOrder {
  return { by: args.orderBy, direction: args.sort };
}

builder.objectFields(Project, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests into branches of the project. For those who can read its files.',
    args: mergeRequestArgs,
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('MergeRequest', { project }, args, context, info, (_context, parents, page, selection) =>
        listMergeRequestsOf(context, parents, args.filter ?? {}, order(args), page, selection),
      );
    },
  }),
  mergeRequest: t.field({
    type: MergeRequest,
    description: 'A merge request of the project by its number.',
    args: { iid: t.arg.int({ required: true, description: 'Number of the merge request within the project.' }) },
    resolve: (project, { iid }, context, info) => {
      context.loaders.noteProject(project);
      return findMergeRequest(context, project, iid, selectionAt(info, 'MergeRequest'));
    },
  }),
}));

builder.prismaObjectFields(Label, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests with this label. For those who can read the files of the project.',
    args: mergeRequestArgs,
    select: { projectId: true, groupId: true },
    resolve: async ({ id, ...label }, args, context, info) => {
      const parent = { ...(await placeBase(context, label)), labelId: id };
      const [filter, sorted] = [args.filter ?? {}, order(args)];
      return pageBelow('MergeRequest', parent, args, context, info, (_context, parents, page, selection) =>
        byPlace(
          parents,
          (some) => listMergeRequestsOf(context, some, filter, sorted, page, selection),
          (some) => listMergeRequestsAcross(context, some, filter, sorted, page, selection),
        ),
      );
    },
  }),
}));
