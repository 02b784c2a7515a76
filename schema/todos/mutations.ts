import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Todo, TodoAction, TodoState, TodoTargetType } from '#schema/todos/types.ts';
import { findTodo } from '#src/domain/tracking/todos/list.ts';
import { markAsTodo, markTodoDone, markTodosDone } from '#src/domain/tracking/todos/mark.ts';

const which = (t: InputFields, what: string) => ({
  project: projectField(t, `of the ${what}`),
  iid: t.int({ required: true, description: `Number of the ${what} within its project, as in its URL.` }),
});

const MarkIssueAsTodoInput = builder.inputType('MarkIssueAsTodoInput', {
  description: 'Which issue to make a todo about.',
  fields: (t) => which(t, 'issue'),
});

const MarkMergeRequestAsTodoInput = builder.inputType('MarkMergeRequestAsTodoInput', {
  description: 'Which merge request to make a todo about.',
  fields: (t) => which(t, 'merge request'),
});

const MarkTodoDoneInput = builder.inputType('MarkTodoDoneInput', {
  description: 'Which todo to mark as done.',
  fields: (t) => ({
    id: t.field({ ...idOf('Todo'), required: true, description: 'Global or numeric ID of the todo.' }),
  }),
});

const MarkTodosDoneInput = builder.inputType('MarkTodosDoneInput', {
  description: 'Which todos of the caller to mark as done: all that the filters name.',
  fields: (t) => ({
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
  }),
});

function todoPayload(mutation: string) {
  return builder.objectRef<{ id: number }>(namesOf(mutation).payload).implement({
    description: 'The todo after the mutation.',
    fields: (t) => ({
      todo: t.field({
        type: Todo,
        description: 'The todo as it is now.',
        resolve: ({ id }, _args, context, info) => findTodo(context, id, selectionAt(info, 'Todo')),
      }),
    }),
  });
}

const MarkTodosDonePayload = builder.objectRef<{ count: number }>('MarkTodosDonePayload').implement({
  description: 'What was marked as done.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of todos that were pending and now are done.' }),
  }),
});

builder.mutationFields((t) => ({
  markIssueAsTodo: t.field({
    type: todoPayload('markIssueAsTodo'),
    description: 'Makes a todo of the caller about an issue. NOT_MODIFIED if one about it is pending.',
    args: {
      input: t.arg({ type: MarkIssueAsTodoInput, required: true, description: 'Names the issue to deal with.' }),
    },
    resolve: (_root, { input: { project, iid } }, context) => markAsTodo(context, 'Issue', project, iid),
  }),
  markMergeRequestAsTodo: t.field({
    type: todoPayload('markMergeRequestAsTodo'),
    description: 'Makes a todo of the caller about a merge request. NOT_MODIFIED if one about it is pending.',
    args: {
      input: t.arg({
        type: MarkMergeRequestAsTodoInput,
        required: true,
        description: 'Names the merge request to deal with.',
      }),
    },
    resolve: (_root, { input: { project, iid } }, context) => markAsTodo(context, 'MergeRequest', project, iid),
  }),
  markTodoDone: t.field({
    type: todoPayload('markTodoDone'),
    description: 'Marks a todo of the caller as done.',
    args: { input: t.arg({ type: MarkTodoDoneInput, required: true, description: 'Names the todo that is done.' }) },
    resolve: (_root, { input: { id } }, context) => markTodoDone(context, id),
  }),
  markTodosDone: t.field({
    type: MarkTodosDonePayload,
    description: 'Marks all todos of the caller as done that the filters name.',
    args: { input: t.arg({ type: MarkTodosDoneInput, required: true, description: 'Names the todos by filters.' }) },
    resolve: async (_root, { input }, context) => ({ count: await markTodosDone(context, input) }),
  }),
}));
