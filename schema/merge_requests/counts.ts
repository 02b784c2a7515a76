import { builder } from '#schema/builder.ts';
import { mergeRequestFilterFields } from '#schema/merge_requests/queries.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { countMergeRequestsOf, type MergeRequestCounts } from '#src/domain/tracking/merge_requests/count.ts';

const Counts = builder.objectRef<MergeRequestCounts>('MergeRequestCounts').implement({
  description: 'How many merge requests there are in each state.',
  fields: (t) => ({
    all: t.int({
      description: 'Number of merge requests in any state.',
      resolve: ({ opened, closed, merged }) => opened + closed + merged,
    }),
    opened: t.exposeInt('opened', { description: 'Number of open merge requests.' }),
    closed: t.exposeInt('closed', { description: 'Number of merge requests that were closed without being merged.' }),
    merged: t.exposeInt('merged', { description: 'Number of merged merge requests.' }),
  }),
});

const MergeRequestCountFilter = builder.inputType('MergeRequestCountFilter', {
  description: 'Which merge requests are counted: those that match all fields.',
  fields: mergeRequestFilterFields,
});

builder.objectFields(Project, (t) => ({
  mergeRequestCounts: t.field({
    type: Counts,
    description: 'The number of merge requests into branches of the project. For those who can read its files.',
    args: {
      filter: t.arg({ type: MergeRequestCountFilter, description: 'Which merge requests to count; all if left out.' }),
    },
    resolve: (project, { filter }, context, info) =>
      loaderAt(context, info, { key: '' }, (projects: readonly ProjectRow[]) =>
        countMergeRequestsOf(context, projects, filter ?? {}),
      ).load(project),
  }),
}));
