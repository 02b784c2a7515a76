import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { Milestone, MilestoneConnection } from '#schema/milestones/types.ts';
import { surelyBaseOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { listIssuesOf } from '#src/issues/list.ts';
import { listMilestoneMergeRequests } from '#src/merge_requests/list.ts';
import { findMilestone, listMilestones } from '#src/milestones/list.ts';

const MilestoneStateFilter = builder.enumType('MilestoneStateFilter', {
  description: 'Which milestones a list holds.',
  values: {
    ACTIVE: { value: 'active', description: 'Active ones.' },
    CLOSED: { value: 'closed', description: 'Closed ones.' },
    ALL: { value: 'all', description: 'All.' },
  } as const,
});

builder.objectFields(Project, (t) => ({
  milestones: t.field({
    type: MilestoneConnection,
    description: 'Its milestones, newest first.',
    args: {
      ...pageArgs,
      state: t.arg({ type: MilestoneStateFilter, description: 'Only those in this state.' }),
      iids: t.arg.intList({ description: 'Only those with these numbers.' }),
      search: t.arg.string({ description: 'Only those with this text in title or description.' }),
    },
    resolve: (project, args, context, info) => {
      context.loaders.project.prime(project.id, project);
      return pageBelow('Milestone', project, args, context, info, (_context, projects, page, selection) =>
        listMilestones(context, projects, args, page, selection),
      );
    },
  }),
  milestone: t.field({
    type: Milestone,
    description: 'One of its milestones.',
    args: { databaseId: t.arg.int({ required: true, description: 'Numeric ID.' }) },
    resolve: (project, { databaseId }, context, info) => {
      context.loaders.project.prime(project.id, project);
      return findMilestone(context, project, databaseId, selectionAt(info, 'Milestone'));
    },
  }),
}));

const OLDEST_FIRST = { by: 'created_at', direction: 'asc' } as const;

builder.prismaObjectFields(Milestone, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'Its issues that the caller sees, oldest first.',
    args: pageArgs,
    select: { projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const project = await surelyBaseOf(context, projectId);
      return pageBelow(
        'Issue',
        { project, milestoneId: id },
        args,
        context,
        info,
        (_context, parents, page, selection) => listIssuesOf(context, parents, {}, OLDEST_FIRST, page, selection),
      );
    },
  }),
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'Its merge requests, oldest first.',
    args: pageArgs,
    select: { projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const project = await surelyBaseOf(context, projectId);
      return pageBelow(
        'MergeRequest',
        { project, milestoneId: id },
        args,
        context,
        info,
        (_context, parents, page, selection) => listMilestoneMergeRequests(context, parents, page, selection),
      );
    },
  }),
}));
