import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { sortField } from '#schema/inputs.ts';
import { Issue, IssueConnection } from '#schema/issues/types.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { findIssue } from '#src/issues/find.ts';
import { listAuthoredIssues, listGroupIssues, listIssuesOf } from '#src/issues/list.ts';
import type { IssueOrder } from '#src/issues/page.ts';
import type { Direction } from '#src/platform/page.ts';

const IssueStateFilter = builder.enumType('IssueStateFilter', {
  description: 'Which issues a list holds.',
  values: {
    OPENED: { value: 'opened', description: 'Only issues that are open.' },
    CLOSED: { value: 'closed', description: 'Only issues that are closed.' },
    ALL: { value: 'all', description: 'Issues in any state.' },
  } as const,
});

const Order = builder.enumType('IssueOrder', {
  description: 'What issues are ordered by.',
  values: {
    CREATED_AT: { value: 'created_at', description: 'When they were opened.' },
    UPDATED_AT: { value: 'updated_at', description: 'When they last changed.' },
  } as const,
});

const issueArgs = builder.args((t) => ({
  ...pageArgs,
  state: t.field({
    type: IssueStateFilter,
    required: true,
    defaultValue: 'all',
    description: 'Only issues in this state.',
  }),
  labels: t.stringList({
    description: 'Only issues with all labels of these titles; `No Label` stands for issues without any.',
  }),
  milestone: t.string({
    description: 'Only issues of the milestone with this title; also `No Milestone`, `#upcoming`, `#started`.',
  }),
  iids: t.intList({ description: 'Only issues with these numbers within their projects.' }),
  search: t.string({ description: 'Only issues with this text in title or description.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What the issues are ordered by.',
  }),
  sort: sortField(t, 'desc'),
}));

function order(args: { orderBy: IssueOrder['by']; sort: Direction }): IssueOrder {
  return { by: args.orderBy, direction: args.sort };
}

builder.objectFields(Project, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'Its issues that the caller sees.',
    args: issueArgs,
    resolve: (project, args, context, info) => {
      return pageBelow('Issue', { project }, args, context, info, (_context, parents, page, selection) =>
        listIssuesOf(context, parents, args, order(args), page, selection),
      );
    },
  }),
  issue: t.field({
    type: Issue,
    description: 'One of its issues.',
    args: { iid: t.arg.int({ required: true, description: 'Number of the issue within its project.' }) },
    resolve: (project, { iid }, context, info) => findIssue(context, project, iid, selectionAt(info, 'Issue')),
  }),
}));

builder.objectFields(Group, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues of its projects and those of its subgroups that the caller sees.',
    args: issueArgs,
    resolve: (group, args, context, info) =>
      loadPage(args, info, (page) =>
        listGroupIssues(context, group, args, order(args), page, selectionAt(info, 'Issue')),
      ),
  }),
}));

builder.objectFields(User, (t) => ({
  issues: t.field({
    type: IssueConnection,
    description: 'The issues that they opened, as far as the caller sees them.',
    args: issueArgs,
    resolve: ({ id }, args, context, info) => {
      return pageBelow('Issue', id, args, context, info, (_context, ids, page, selection) =>
        listAuthoredIssues(context, ids, args, order(args), page, selection),
      );
    },
  }),
}));
