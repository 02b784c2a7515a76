import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { milestoneFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { Milestone, MilestoneConnection } from '#schema/milestones/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { milestoneOrder } from '#schema/orders.ts';
import { byPlace, placeBase } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import { listIssuesAcross } from '#src/domain/tracking/issues/list_across.ts';
import { listMergeRequestsOf } from '#src/domain/tracking/merge_requests/list.ts';
import { listMergeRequestsAcross } from '#src/domain/tracking/merge_requests/list_across.ts';
import { findMilestone, listGroupMilestones, listMilestones } from '#src/domain/tracking/milestones/list.ts';

const MilestoneStateFilter = builder.enumType('MilestoneStateFilter', {
  description: 'Filters milestones by state.',
  values: {
    ACTIVE: { value: 'active', description: 'Only milestones that are active.' },
    CLOSED: { value: 'closed', description: 'Only milestones that are closed.' },
    ALL: { value: 'all', description: 'Milestones in any state.' },
  } as const,
});

const milestoneArgs = builder.args((t) => ({
  ...pageArgs,
  ...milestoneFilter,
  ...milestoneOrder('ID', 'desc'),
  state: t.field({
    type: MilestoneStateFilter,
    required: true,
    defaultValue: 'all',
    description: 'Only milestones in this state.',
  }),
  iids: t.intList({
    description: 'Only milestones with these numbers within the project or group; ignored with `includeAncestors`.',
  }),
  search: t.string({ description: 'Only milestones with this text in title or description.' }),
  title: t.string({ description: 'Only milestones with just this title.' }),
  searchTitle: t.string({ description: 'Only milestones with all of these words in the title, in any case.' }),
  updatedAfter: t.field({ type: 'DateTime', description: 'Only milestones that changed at or after this time.' }),
  updatedBefore: t.field({ type: 'DateTime', description: 'Only milestones that changed at or before this time.' }),
  containingDate: t.field({
    type: 'DateTime',
    description: 'Only milestones with this day (UTC) between their first and their last.',
  }),
  startDate: t.field({
    type: 'Date',
    description: 'Only milestones that overlap with the time from this day to `endDate`, which must be given, too.',
  }),
  endDate: t.field({
    type: 'Date',
    description: 'Only milestones that overlap with the time from `startDate`, which must be given, too, to this day.',
  }),
  includeAncestors: t.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether the milestones of the groups around are among them.',
  }),
}));

const ID = { ...idOf('Milestone'), required: true, description: 'Global or numeric ID of the milestone.' } as const;

builder.objectFields(Project, (t) => ({
  milestones: t.field({
    type: MilestoneConnection,
    description: 'The milestones of the project, newest first.',
    args: milestoneArgs,
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
    args: { id: t.arg(ID) },
    resolve: (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      return findMilestone(context, { project, group: null }, id, selectionAt(info, 'Milestone'));
    },
  }),
}));

builder.objectFields(Group, (t) => ({
  milestones: t.field({
    type: MilestoneConnection,
    description: 'The milestones of the group, newest first.',
    args: {
      ...milestoneArgs,
      includeDescendants: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the milestones of the groups inside that the caller can see are among them.',
      }),
      includeProjects: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether the milestones of the projects of the group that the caller can see are among them; with `includeDescendants` also of projects of the groups inside.',
      }),
    },
    resolve: (group, args, context, info) =>
      pageBelow('Milestone', group, args, context, info, (_context, groups, page, selection) =>
        listGroupMilestones(context, groups, args, page, selection),
      ),
  }),
  milestone: t.field({
    type: Milestone,
    description: 'A milestone of the group by its ID.',
    args: { id: t.arg(ID) },
    resolve: (group, { id }, context, info) =>
      findMilestone(context, { project: null, group }, id, selectionAt(info, 'Milestone')),
  }),
}));

const OLDEST_FIRST = { by: 'created_at', direction: 'asc' } as const;

const subjectArgs = builder.args((t) => ({
  ...pageArgs,
  inSubgroups: t.boolean({
    required: true,
    defaultValue: true,
    description:
      'Whether those of projects in subgroups are among them, and not only those of projects directly in the group of the milestone.',
  }),
}));

builder.prismaObjectFields(Milestone, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues of the milestone that the caller can see, oldest first.',
    args: subjectArgs,
    select: { projectId: true, groupId: true },
    resolve: async ({ id, ...milestone }, args, context, info) => {
      const parent = { ...(await placeBase(context, milestone)), milestoneId: id };
      return pageBelow('Issue', parent, args, context, info, (_context, parents, page, selection) =>
        byPlace(
          parents,
          (some) => listIssuesOf(context, some, {}, OLDEST_FIRST, page, selection),
          (some) => listIssuesAcross(context, some, {}, OLDEST_FIRST, page, selection, args),
        ),
      );
    },
  }),
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests of the milestone that the caller can see, oldest first.',
    args: subjectArgs,
    select: { projectId: true, groupId: true },
    resolve: async ({ id, ...milestone }, args, context, info) => {
      const parent = { ...(await placeBase(context, milestone)), milestoneId: id };
      return pageBelow('MergeRequest', parent, args, context, info, (_context, parents, page, selection) =>
        byPlace(
          parents,
          (some) => listMergeRequestsOf(context, some, {}, OLDEST_FIRST, page, selection),
          (some) => listMergeRequestsAcross(context, some, {}, OLDEST_FIRST, page, selection, args),
        ),
      );
    },
  }),
}));
