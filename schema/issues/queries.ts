import { Branch } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { type InputFields, sortField } from '#schema/inputs.ts';
import { IssueType } from '#schema/issues/record.ts';
import { Issue, IssueConnection } from '#schema/issues/types.ts';
import { Label } from '#schema/labels/types.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { byPlace, placeBase } from '#schema/places/fields.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { keyedOrders, subjectFilterFields } from '#schema/subjects/filter.ts';
import { User } from '#schema/users/types.ts';
import { MAX_RELATED_BRANCHES, relatedBranches } from '#src/domain/repository/branches/of_issue.ts';
import { findIssue } from '#src/domain/tracking/issues/find.ts';
import { listChildren } from '#src/domain/tracking/issues/hierarchy.ts';
import { listGroupIssues, listIssues, listIssuesOf, listIssuesOfUsers } from '#src/domain/tracking/issues/list.ts';
import { listIssuesAcross } from '#src/domain/tracking/issues/list_across.ts';
import type { IssueOrder } from '#src/domain/tracking/issues/page.ts';
import type { Direction } from '#src/platform/page.ts';

export const IssueStateFilter = builder.enumType('IssueStateFilter', {
  description: 'Filters issues by state.',
  values: {
    OPENED: { value: 'opened', description: 'Only issues that are open.' },
    CLOSED: { value: 'closed', description: 'Only issues that are closed.' },
    ALL: { value: 'all', description: 'Issues in any state.' },
  } as const,
});

const Order = builder.enumType('IssueOrder', {
  description: 'Ways to order issues.',
  values: {
    CREATED_AT: { value: 'created_at', description: 'By time of creation.' },
    UPDATED_AT: { value: 'updated_at', description: 'By time of the last change.' },
    DUE_DATE: {
      value: 'due_date',
      description: 'By due date. Issues without one are last in either direction.',
    },
    RELATIVE_POSITION: {
      value: 'relative_position',
      description:
        'As they were arranged by hand (`reorderIssue`), in that order for either direction; the others come last, the oldest first.',
    },
    TITLE: { value: 'title', description: 'By title, in alphabetical order.' },
    ...keyedOrders('issues'),
  } as const,
});

const IssueTypeFilter = builder.enumType('IssueTypeFilter', {
  description: 'Filters issues by kind.',
  values: {
    ISSUE: { value: 'issue', description: 'Issues like any other.' },
    INCIDENT: { value: 'incident', description: 'Incidents.' },
    TASK: { value: 'task', description: 'Tasks.' },
    TEST_CASE: { value: 'test_case', description: 'Test cases: there are none.' },
  } as const,
});

const MilestoneMatch = builder.enumType('MilestoneMatch', {
  description: 'Whether an issue has a milestone, and when that is.',
  values: {
    NONE: { value: 'None', description: 'Issues without a milestone.' },
    ANY: { value: 'Any', description: 'Issues with a milestone.' },
    UPCOMING: { value: 'Upcoming', description: 'Issues of active milestones that are due after today (UTC).' },
    STARTED: {
      value: 'Started',
      description: 'Issues of active milestones that have started by today (UTC), and are not overdue.',
    },
  } as const,
});

const DueDateMatch = builder.enumType('DueDateMatch', {
  description: 'When an issue is due, in UTC; weeks begin on Monday.',
  values: {
    NONE: { value: '0', description: 'Issues without a due date.' },
    ANY: { value: 'any', description: 'Issues with a due date.' },
    TODAY: { value: 'today', description: 'Issues that are due today.' },
    TOMORROW: { value: 'tomorrow', description: 'Issues that are due tomorrow.' },
    OVERDUE: { value: 'overdue', description: 'Issues that were due before today, in any state.' },
    WEEK: { value: 'week', description: 'Issues that are due this week.' },
    MONTH: { value: 'month', description: 'Issues that are due this month.' },
    NEXT_MONTH_AND_PREVIOUS_TWO_WEEKS: {
      value: 'next_month_and_previous_two_weeks',
      description: 'Issues that are due between two weeks ago and the end of next month.',
    },
  } as const,
});

/** The filters of issues other than by state. */
export function issueFilterFields(t: InputFields) {
  return {
    ...subjectFilterFields(t, 'issues'),
    confidential: t.boolean({ description: 'Only confidential issues if true, only others if false.' }),
    milestoneIs: t.field({
      type: MilestoneMatch,
      description:
        'Only issues with any milestone, with none, or with one that is upcoming or has started; see also `milestone`.',
    }),
    dueDate: t.field({ type: DueDateMatch, description: 'Only issues that are due then.' }),
    type: t.field({ type: IssueTypeFilter, description: 'Only issues of this kind.' }),
    types: t.field({ type: [IssueType], description: 'Only issues of one of these kinds.' }),
    closedById: t.field({ ...idOf('User'), description: 'Only closed issues that this user closed last.' }),
    nonArchived: t.boolean({
      description: 'Whether to leave out those of archived projects; they are listed by default.',
    }),
  };
}

/** The filters of issues that lists alone have. */
function issueListFilterFields(t: InputFields) {
  return {
    ids: t.field({ ...idsOf('Issue'), description: 'Only the issues with these global or numeric IDs; at most 100.' }),
    parentIds: t.field({
      ...idsOf('Issue'),
      description: 'Only issues directly below one of those with these global or numeric IDs; at most 100.',
    }),
    assigneeUsernames: t.stringList({
      description: 'Only issues that are assigned to all of the users with these usernames, in any case; at most 10.',
    }),
    milestones: t.stringList({
      description:
        'Only issues of a milestone with one of these titles, of the project or of a group around it; the words of `milestone` count, too. At most 10.',
    }),
    explicitlySubscribed: t.boolean({
      description:
        'Only issues that the caller has subscribed to by hand if true, or has unsubscribed from if false. For signed-in users.',
    }),
    closedAfter: t.field({ type: 'DateTime', description: 'Only issues that were closed at this time or later.' }),
    closedBefore: t.field({ type: 'DateTime', description: 'Only issues that were closed at this time or earlier.' }),
    dueAfter: t.field({
      type: 'DateTime',
      description: 'Only issues that are due on the day of this time (UTC) or later.',
    }),
    dueBefore: t.field({
      type: 'DateTime',
      description: 'Only issues that are due on the day of this time (UTC) or earlier.',
    }),
  };
}

const IssueFilter = builder.inputType('IssueFilter', {
  description: 'Which issues a list has: those that match all fields.',
  fields: (t) => ({
    state: t.field({ type: IssueStateFilter, description: 'Only issues in this state.' }),
    ...issueFilterFields(t),
    ...issueListFilterFields(t),
  }),
});

const orderArgs = builder.args((t) => ({
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What to sort the issues by.',
  }),
  sort: sortField(t, 'desc'),
}));

/** The arguments of every list of issues. */
export const issueArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: IssueFilter, description: 'Which issues to list; all if left out.' }),
  ...orderArgs,
}));

/** Which issues a table has, and in which order. */
export const issueTableArgs = builder.args((t) => ({
  filter: t.field({ type: IssueFilter, required: true, description: 'Which issues the table has; all with `{}`.' }),
  ...orderArgs,
}));

/** The order requested by the arguments of a list of issues. */
export function order(args: { orderBy: IssueOrder['by']; sort: Direction }): IssueOrder {
  return { by: args.orderBy, direction: args.sort };
}

builder.objectFields(Project, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues of the project that the caller can see.',
    args: issueArgs,
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Issue', { project }, args, context, info, (_context, parents, page, selection) =>
        listIssuesOf(context, parents, args.filter ?? {}, order(args), page, selection),
      );
    },
  }),
  issue: t.field({
    type: Issue,
    description: 'An issue of the project by its number.',
    args: { iid: t.arg.int({ required: true, description: 'Number of the issue within the project.' }) },
    resolve: (project, { iid }, context, info) => {
      context.loaders.noteProject(project);
      return findIssue(context, project, iid, selectionAt(info, 'Issue'));
    },
  }),
}));

builder.queryFields((t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues of all projects on the server that the caller can see.',
    args: issueArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) =>
        listIssues(context, args.filter ?? {}, order(args), page, selectionAt(info, 'Issue')),
      ),
  }),
}));

builder.objectFields(Group, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues of all projects in the group and its subgroups that the caller can see.',
    args: issueArgs,
    resolve: (group, args, context, info) =>
      loadPage(args, info, (page) =>
        listGroupIssues(context, group, args.filter ?? {}, order(args), page, selectionAt(info, 'Issue')),
      ),
  }),
}));

const IssueRole = builder.enumType('IssueRole', {
  description: 'A user’s role in an issue.',
  values: {
    AUTHOR: { value: 'author', description: 'The user opened the issue.' },
    ASSIGNEE: { value: 'assignee', description: 'The issue is assigned to the user.' },
  } as const,
});

builder.objectFields(User, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues that the user opened or is assigned to and that the caller can see.',
    args: {
      ...issueArgs,
      role: t.arg({
        type: IssueRole,
        required: true,
        defaultValue: 'author',
        description: 'Whether to list the issues that the user opened or those assigned to the user.',
      }),
    },
    resolve: ({ id }, { role, ...args }, context, info) => {
      return pageBelow('Issue', id, args, context, info, (_context, ids, page, selection) =>
        listIssuesOfUsers(context, ids, role, args.filter ?? {}, order(args), page, selection),
      );
    },
  }),
}));

builder.prismaObjectFields(Issue, (t) => ({
  children: t.field({
    type: IssueConnection,
    description: 'The tasks that are a part of the issue, as far as the caller can see them.',
    args: issueArgs,
    select: { id: true },
    resolve: ({ id }, args, context, info) =>
      pageBelow('Issue', id, args, context, info, (_context, ids, page, selection) =>
        listChildren(context, ids, args.filter ?? {}, order(args), page, selection),
      ),
  }),
  relatedBranches: t.field({
    type: [Branch],
    description: `The branches whose names begin with the number of the issue and a dash, such as \`7-fix-it\`, by name; at most ${MAX_RELATED_BRANCHES}. Empty for those who cannot read the repository.`,
    select: { projectId: true, iid: true },
    resolve: async ({ projectId, iid }, _args, context) =>
      relatedBranches(context, await requireProjectBase(context, projectId), iid),
  }),
}));

builder.prismaObjectFields(Label, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues with this label that the caller can see.',
    args: issueArgs,
    select: { projectId: true, groupId: true },
    resolve: async ({ id, ...label }, args, context, info) => {
      const parent = { ...(await placeBase(context, label)), labelId: id };
      const [filter, sorted] = [args.filter ?? {}, order(args)];
      return pageBelow('Issue', parent, args, context, info, (_context, parents, page, selection) =>
        byPlace(
          parents,
          (some) => listIssuesOf(context, some, filter, sorted, page, selection),
          (some) => listIssuesAcross(context, some, filter, sorted, page, selection),
        ),
      );
    },
  }),
}));
