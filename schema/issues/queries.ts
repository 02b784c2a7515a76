import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { type InputFields, sortField } from '#schema/inputs.ts';
import { Issue, IssueConnection } from '#schema/issues/types.ts';
import { Label } from '#schema/labels/types.ts';
import { byPlace, placeBase } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { subjectFilterFields } from '#schema/subjects/filter.ts';
import { User } from '#schema/users/types.ts';
import { findIssue } from '#src/domain/tracking/issues/find.ts';
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
  } as const,
});

/** The filters of issues other than by state. */
export function issueFilterFields(t: InputFields) {
  return {
    ...subjectFilterFields(t, 'issues'),
    confidential: t.boolean({ description: 'Only confidential issues if true, only others if false.' }),
  };
}

const IssueFilter = builder.inputType('IssueFilter', {
  description: 'Which issues a list has: those that match all fields.',
  fields: (t) => ({
    state: t.field({ type: IssueStateFilter, description: 'Only issues in this state.' }),
    ...issueFilterFields(t),
  }),
});

/** The arguments of every list of issues. */
export const issueArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: IssueFilter, description: 'Which issues to list; all if left out.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What to sort the issues by.',
  }),
  sort: sortField(t, 'desc'),
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
