import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { Milestone, MilestoneConnection } from '#schema/milestones/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import { listMergeRequestsOf } from '#src/domain/tracking/merge_requests/list.ts';
import { findMilestone, listMilestones } from '#src/domain/tracking/milestones/list.ts';

const MilestoneStateFilter = builder.enumType('MilestoneStateFilter', {
  description: 'Filters milestones by state.',
  values: {
    ACTIVE: { value: 'active', description: 'Only milestones that are active.' },
    CLOSED: { value: 'closed', description: 'Only milestones that are closed.' },
    ALL: { value: 'all', description: 'Milestones in any state.' },
  } as const,
});

builder.objectFields(Project, (t) => ({
  milestones: t.field({
    type: MilestoneConnection,
    description: 'The milestones of the project, newest first. For signed-in callers.',
    args: {
      ...pageArgs,
      state: t.arg({
        type: MilestoneStateFilter,
        required: true,
        defaultValue: 'all',
        description: 'Only milestones in this state.',
      }),
      iids: t.arg.intList({ description: 'Only milestones with these numbers within the project.' }),
      search: t.arg.string({ description: 'Only milestones with this text in title or description.' }),
    },
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Milestone', project, args, context, info, (_context, projects, page, selection) =>
        listMilestones(context, projects, args, page, selection),
      );
    },
  }),
  milestone: t.field({
    type: Milestone,
    description: 'A milestone of the project by its ID.',
    args: {
      id: t.arg({
        ...idOf('Milestone'),
        required: true,
        description: 'Global or numeric ID of the milestone.',
      }),
    },
    resolve: (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      return findMilestone(context, project, id, selectionAt(info, 'Milestone'));
    },
  }),
}));

const OLDEST_FIRST = { by: 'created_at', direction: 'asc' } as const;

builder.prismaObjectFields(Milestone, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues of the milestone that the caller can see, oldest first.',
    args: pageArgs,
    select: { projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const project = await requireProjectBase(context, projectId);
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
    description: 'The merge requests of the milestone, oldest first.',
    args: pageArgs,
    select: { projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const project = await requireProjectBase(context, projectId);
      return pageBelow(
        'MergeRequest',
        { project, milestoneId: id },
        args,
        context,
        info,
        (_context, parents, page, selection) =>
          listMergeRequestsOf(context, parents, {}, OLDEST_FIRST, page, selection),
      );
    },
  }),
}));
