import { type InputFields, projectField } from '#schema/inputs.ts';
import { changed, mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Todo, TodoAction, TodoState, TodoTargetType } from '#schema/todos/types.ts';
import { findTodo } from '#src/domain/tracking/todos/list.ts';
import { markAsTodo, markTodoDone, markTodosDone } from '#src/domain/tracking/todos/mark.ts';

const which = (t: InputFields, what: string) => ({
  project: projectField(t, `of the ${what}`),
  iid: t.int({ required: true, description: `Number of the ${what} within its project, as in its URL.` }),
});

const todoPayload: Payload<{ id: number }> = changed('todo', Todo, 'Todo', (context, { id }, selection) =>
  findTodo(context, id, selection),
);

mutation('markIssueAsTodo', {
  description: 'Makes a todo of the caller about an issue. `changed` is false if one about it is pending.',
  input: {
    description: 'Which issue to make a todo about.',
    argument: 'Names the issue to deal with.',
    fields: (t) => which(t, 'issue'),
  },
  resolve: ({ project, iid }, context) => markAsTodo(context, 'Issue', project, iid),
  payload: toldChanged(todoPayload),
});

mutation('markMergeRequestAsTodo', {
  description: 'Makes a todo of the caller about a merge request. `changed` is false if one about it is pending.',
  input: {
    description: 'Which merge request to make a todo about.',
    argument: 'Names the merge request to deal with.',
    fields: (t) => which(t, 'merge request'),
  },
  resolve: ({ project, iid }, context) => markAsTodo(context, 'MergeRequest', project, iid),
  payload: toldChanged(todoPayload),
});

mutation('markTodoDone', {
  description: 'Marks a todo of the caller as done.',
  input: {
    description: 'Which todo to mark as done.',
    argument: 'Names the todo that is done.',
    fields: (t) => ({
      id: t.field({ ...idOf('Todo'), required: true, description: 'Global or numeric ID of the todo.' }),
    }),
  },
  resolve: ({ id }, context) => markTodoDone(context, id),
  payload: toldChanged(todoPayload),
});

mutation('markTodosDone', {
  description: 'Marks all todos of the caller as done that the filters name.',
  input: {
    description: 'Which todos of the caller to mark as done: all that the filters name.',
    argument: 'Names the todos by filters.',
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
  },
  resolve: async (input, context) => ({ count: await markTodosDone(context, input) }),
  payload: {
    description: 'What was marked as done.',
    fields: (t) => ({
      count: t.exposeInt('count', { description: 'Number of todos that were pending and now are done.' }),
    }),
  },
});
