import { builder } from '#schema/builder.ts';
import type { TaskItems } from '#src/domain/tracking/subjects/task_items.ts';

/** How many task items a description has. */
export const TaskCompletionStatus = builder.objectRef<TaskItems>('TaskCompletionStatus').implement({
  description: 'How many task items a description has: list items that begin with `[ ]` or `[x]`, outside fenced code.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of task items.' }),
    completedCount: t.exposeInt('completed', { description: 'Number of task items that are checked.' }),
  }),
});
