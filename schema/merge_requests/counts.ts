import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { mergeRequestFilterFields } from '#schema/merge_requests/queries.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { countMergeRequestsOf, type MergeRequestCounts } from '#src/domain/tracking/merge_requests/count.ts';
import { countMergeRequestsOfGroups } from '#src/domain/tracking/merge_requests/list_across.ts';

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

const countArgs = builder.args((t) => ({
  filter: t.field({ type: MergeRequestCountFilter, description: 'Which merge requests to count; all if left out.' }),
}));

builder.objectFields(Group, (t) => ({
  mergeRequestCounts: t.field({
    type: Counts,
    description:
      'The number of merge requests into branches of the projects in the group and its subgroups whose merge requests the caller can see.',
    args: countArgs,
    resolve: (group, { filter }, context, info) =>
      loaderAt(context, info, { key: '' }, (groups: readonly GroupRow[]) =>
        countMergeRequestsOfGroups(context, groups, filter ?? {}),
      ).load(group),
  }),
}));

builder.objectFields(Project, (t) => ({
  mergeRequestCounts: t.field({
    type: Counts,
    description: 'The number of merge requests into branches of the project. For those who can read its files.',
    args: countArgs,
    resolve: (project, { filter }, context, info) =>
      loaderAt(context, info, { key: '' }, (projects: readonly ProjectRow[]) =>
        countMergeRequestsOf(context, projects, filter ?? {}),
      ).load(project),
  }),
}));
