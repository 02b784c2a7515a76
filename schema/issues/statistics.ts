import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { issueFilterFields } from '#schema/issues/queries.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  countIssues,
  countIssuesOf,
  countIssuesOfGroups,
  type IssueCounts,
} from '#src/domain/tracking/issues/statistics.ts';

const Counts = builder.objectRef<IssueCounts>('IssueCounts').implement({
  description: 'How many issues there are in each state, as far as the caller can see them.',
  fields: (t) => ({
    all: t.int({
      description: 'Number of issues in any state.',
      resolve: ({ opened, closed }) => opened + closed,
    }),
    opened: t.exposeInt('opened', { description: 'Number of open issues.' }),
    closed: t.exposeInt('closed', { description: 'Number of closed issues.' }),
  }),
});

const IssueCountFilter = builder.inputType('IssueCountFilter', {
  description: 'Which issues are counted: those that match all fields.',
  fields: issueFilterFields,
});

const countArgs = builder.args((t) => ({
  filter: t.field({ type: IssueCountFilter, description: 'Which issues to count; all if left out.' }),
  upTo: t.int({
    description:
      'Counts the issues of a state no further than this if that is not known already: one more stands for more. All are counted if left out.',
  }),
}));

builder.queryFields((t) => ({
  issueCounts: t.field({
    type: Counts,
    description: 'The number of issues of all projects on the server that the caller can see.',
    args: countArgs,
    resolve: (_root, { filter, upTo }, context) => countIssues(context, filter ?? {}, { upTo }),
  }),
}));

builder.objectFields(Group, (t) => ({
  issueCounts: t.field({
    type: Counts,
    description: 'The number of issues of all projects in the group and its subgroups that the caller can see.',
    args: countArgs,
    resolve: (group, { filter, upTo }, context, info) =>
      loaderAt(context, info, { key: '' }, (groups: readonly GroupRow[]) =>
        countIssuesOfGroups(context, groups, filter ?? {}, { upTo }),
      ).load(group),
  }),
}));

builder.objectFields(Project, (t) => ({
  issueCounts: t.field({
    type: Counts,
    description: 'The number of issues of the project that the caller can see.',
    args: countArgs,
    resolve: (project, { filter, upTo }, context, info) =>
      loaderAt(context, info, { key: '' }, (projects: readonly ProjectRow[]) =>
        countIssuesOf(context, projects, filter ?? {}, { upTo }),
      ).load(project),
  }),
}));
