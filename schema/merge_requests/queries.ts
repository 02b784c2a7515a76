import { builder } from '#schema/builder.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findMergeRequest } from '#src/merge_requests/find.ts';

builder.objectFields(Project, (t) => ({
  mergeRequest: t.field({
    type: MergeRequest,
    description: 'A merge request of the project by its number.',
    args: { iid: t.arg.int({ required: true, description: 'Number of the merge request within the project.' }) },
    resolve: (project, { iid }, context, info) => {
      context.loaders.project.prime(project.id, project);
      return findMergeRequest(context, project, iid, selectionAt(info, 'MergeRequest'));
    },
  }),
}));
