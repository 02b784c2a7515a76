import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { todoFilter } from '#schema/filters.ts';
import { todoOrder } from '#schema/orders.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import '#schema/issues/types.ts';
import '#schema/merge_requests/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node } from '#schema/node/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import '#schema/users/types.ts';
import { countTodos, listTodos } from '#src/domain/tracking/todos/list.ts';

export const TodoAction = builder.enumType('TodoAction', {
  description: 'Why a todo was made.',
  values: {
    ASSIGNED: { value: 'assigned', description: 'It was assigned to the user.' },
    MENTIONED: { value: 'mentioned', description: 'A text mentions the user.' },
    DIRECTLY_ADDRESSED: { value: 'directly_addressed', description: 'A text begins with the name of the user.' },
    MARKED: { value: 'marked', description: 'The user made the todo.' },
    BUILD_FAILED: { value: 'build_failed', description: 'The pipeline of the user’s merge request failed.' },
    UNMERGEABLE: { value: 'unmergeable', description: 'The user’s merge request can no longer be merged.' },
    REVIEW_SUBMITTED: {
      value: 'review_submitted',
      description: 'A review of the merge request, which the user opened or is assigned to, was published.',
    },
    REVIEW_REQUESTED: { value: 'review_requested', description: 'The user was asked to review the merge request.' },
    APPROVAL_REQUIRED: {
      value: 'approval_required',
      description: 'Someone’s approval is required; made by no one yet.',
    },
  } as const,
});

export const TodoState = builder.enumType('TodoState', {
  description: 'Whether a todo is still to be done.',
  values: {
    PENDING: { value: 'pending', description: 'The todo is still to be done.' },
    DONE: { value: 'done', description: 'The user dealt with it, or marked it as done.' },
  } as const,
});

export const TodoTargetType = builder.enumType('TodoTargetType', {
  description: 'What a todo can be about.',
  values: {
    ISSUE: { value: 'Issue', description: 'It is about an issue.' },
    MERGE_REQUEST: { value: 'MergeRequest', description: 'It is about a merge request.' },
  } as const,
});

export const Todo = builder.prismaObject('Todo', {
  description: 'Something that asks for the attention of the caller. Only visible to its user.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the todo, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Todo', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the todo, as the REST API uses it.' }),
    project: t.field(ownProject),
    author: t.relation('author', { description: 'The user who made the todo necessary.' }),
    action: t.expose('action', { type: TodoAction, description: 'Why the todo was made.' }),
    state: t.expose('state', { type: TodoState, description: 'Whether it is still to be done.' }),
    targetType: t.field({
      type: TodoTargetType,
      description: 'What the todo is about: an issue or a merge request.',
      select: { issueId: true },
      resolve: ({ issueId }) => (issueId === null ? ('MergeRequest' as const) : ('Issue' as const)),
    }),
    issue: t.relation('issue', {
      nullable: true,
      description: 'The issue that it is about; null if it is about another thing.',
    }),
    mergeRequest: t.relation('mergeRequest', {
      nullable: true,
      description: 'The merge request that it is about; null if it is about another thing.',
    }),
    targetUrl: t.string({
      description: 'URL of the page of what it is about, with the comment that mentions the user.',
      select: {
        noteId: true,
        issue: { select: { iid: true, projectFullPath: true } },
        mergeRequest: { select: { iid: true, projectFullPath: true } },
      },
      resolve: ({ noteId, issue, mergeRequest }, _args, { baseUrl }) => {
        const resource = issue ? 'issues' : 'merge_requests';
        const { projectFullPath = '', iid = 0 } = issue ?? mergeRequest ?? {};
        return baseUrl + pagePath(projectFullPath, resource, iid, noteId);
      },
    }),
    body: t.string({
      description: 'Text of the comment that mentions the user, else the title of what the todo is about.',
      select: {
        note: { select: { body: true } },
        issue: { select: { title: true } },
        mergeRequest: { select: { title: true } },
      },
      resolve: ({ note, issue, mergeRequest }) => note?.body ?? issue?.title ?? mergeRequest?.title ?? '',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the todo was made.' }),
  }),
});

const TodoConnection = connectionOf('Todo', Todo);

const TodoCounts = builder.objectRef<{ pending: number; done: number }>('TodoCounts').implement({
  description: 'How many todos the caller has.',
  fields: (t) => ({
    pending: t.exposeInt('pending', { description: 'Number of todos that are still to be done.' }),
    done: t.exposeInt('done', { description: 'Number of todos that are done.' }),
  }),
});

const todoArgs = builder.args((t) => ({
  ...pageArgs,
  ...todoFilter,
  ...todoOrder('ID', 'desc'),
  state: t.field({
    type: TodoState,
    required: true,
    defaultValue: 'pending',
    description: 'Only todos in this state.',
  }),
  action: t.field({ type: TodoAction, description: 'Only todos that were made for this reason.' }),
  authorId: t.field({ ...idOf('User'), description: 'Only todos that this user made necessary.' }),
  projectId: t.field({ ...idOf('Project'), description: 'Only todos of the project with this ID.' }),
  type: t.field({ type: TodoTargetType, description: 'Only todos about things of this type.' }),
}));

builder.queryFields((t) => ({
  todos: t.field({
    type: TodoConnection,
    description: 'The todos of the caller about what the caller can still see, newest first.',
    args: todoArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listTodos(context, args, page, selectionAt(info, 'Todo'))),
  }),
  todoCounts: t.field({
    type: TodoCounts,
    description: 'How many todos the caller has about what the caller can still see.',
    resolve: (_root, _args, context) => countTodos(context),
  }),
}));
