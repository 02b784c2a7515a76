import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { ofForks } from '#rest/v4/merge_requests.ts';
import * as operations from '#src/generated/operations.ts';

/** The target of a todo is one key of its record. */
const firstNonNull = { target: ['issue', 'merge_request'] };

const omitNull = ofForks('merge_request.');

export const todos: Route[] = [
  {
    method: 'GET',
    path: '/todos',
    operation: operations.TodosDocument,
    result: 'todos',
    firstNonNull,
    omitNull,
  },
  {
    method: 'POST',
    path: '/todos/mark_as_done',
    ...mutation('MarkTodosDone', 'markTodosDone', 'count'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/todos/:id/mark_as_done',
    ...mutation('MarkTodoDone', 'markTodoDone.todo', '...TodoRecord'),
    firstNonNull,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/todo',
    ...mutation('MarkIssueAsTodo', 'markIssueAsTodo.todo', '...TodoRecord', 'changed'),
    whenUnchanged: { at: 'markIssueAsTodo.changed', status: 304 },
    firstNonNull,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/todo',
    ...mutation('MarkMergeRequestAsTodo', 'markMergeRequestAsTodo.todo', '...TodoRecord', 'changed'),
    whenUnchanged: { at: 'markMergeRequestAsTodo.changed', status: 304 },
    firstNonNull,
    omitNull,
  },
];
