import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { labelFilter } from '#schema/filters.ts';
import { Issue } from '#schema/issues/types.ts';
import { LabelConnection } from '#schema/labels/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { labelOrder } from '#schema/orders.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { listLabelsOn } from '#src/domain/tracking/labels/list.ts';

builder.prismaObjectFields(Issue, (t) => ({
  labels: t.field({
    type: LabelConnection,
    description: 'The labels on the issue, by title. `labelTitles` is cheaper if you only need titles.',
    args: { ...pageArgs, ...labelFilter, ...labelOrder('TITLE', 'asc') },
    select: { projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const project = await requireProjectBase(context, projectId);
      return pageBelow('Label', { id, project }, args, context, info, (_context, subjects, page, selection) =>
        listLabelsOn(context, 'Issue', subjects, page, selection),
      );
    },
  }),
}));

builder.prismaObjectFields(MergeRequest, (t) => ({
  labels: t.field({
    type: LabelConnection,
    description: 'The labels on the merge request, by title. `labelTitles` is cheaper if you only need titles.',
    args: { ...pageArgs, ...labelFilter, ...labelOrder('TITLE', 'asc') },
    select: { targetProjectId: true },
    resolve: async ({ id, targetProjectId }, args, context, info) => {
      const project = await requireProjectBase(context, targetProjectId);
      return pageBelow('Label', { id, project }, args, context, info, (_context, subjects, page, selection) =>
        listLabelsOn(context, 'MergeRequest', subjects, page, selection),
      );
    },
  }),
}));
