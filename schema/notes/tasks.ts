import type { GraphQLContext } from '#schema/context.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { mutation } from '#schema/mutation.ts';
import { fromGlobalId } from '#schema/node/global_id.ts';
import { Note } from '#schema/notes/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import { findNotesByIds } from '#src/domain/tracking/notes/list.ts';
import { type TaskText, tickTask } from '#src/domain/tracking/notes/tick_task.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

const TYPES = ['Issue', 'MergeRequest', 'Note'] as const;

/** The text that an input names. Throws ValidationFailed for IDs of types without tasks. */
function textOf(id: string): TaskText {
  const found = fromGlobalId(id);
  const type = TYPES.find((one) => one === found?.type);
  if (!found || !type) throw new ValidationFailed({ on: ['is not the ID of an issue, a merge request or a note'] });
  return { type, id: found.id };
}

const projectOf = (context: GraphQLContext) => (id: number) => context.loaders.project.load(id);

mutation('tickTask', {
  description:
    'Ticks a task in the description of an issue or merge request, or in a note, or removes the tick. For those who can edit the text; CONFLICT if it is not the text that the caller has seen.',
  input: {
    description: 'A task of a text, and whether it is done.',
    argument: 'Names the text and the task.',
    fields: (t) => ({
      on: t.id({
        required: true,
        description: 'Global ID of the issue, merge request or note whose text has the task.',
      }),
      task: t.int({ required: true, description: 'Number of the task among those of the text, from 1.' }),
      count: t.int({ required: true, description: 'How many tasks the caller has seen in the text.' }),
      textSha256: t.string({
        required: true,
        description: 'SHA-256 of the text that the caller has seen, in UTF-8, as 64 hexadecimal digits.',
      }),
      done: t.boolean({ required: true, description: 'Whether the task is done.' }),
    }),
  },
  resolve: ({ on, done, ...seen }, context) => tickTask(context, textOf(on), seen, done),
  payload: {
    description: 'What has the task, after the mutation: one of the fields is set.',
    fields: (t) => ({
      issue: t.field({
        type: Issue,
        nullable: true,
        description: 'The issue, if the task is in its description.',
        resolve: async ({ type, id }, _args, context, info) => {
          if (type !== 'Issue') return null;
          const [found] = await findIssuesByIds(context, [id], selectionAt(info, 'Issue'), projectOf(context));
          return found ?? null;
        },
      }),
      mergeRequest: t.field({
        type: MergeRequest,
        nullable: true,
        description: 'The merge request, if the task is in its description.',
        resolve: async ({ type, id }, _args, context, info) => {
          if (type !== 'MergeRequest') return null;
          const selection = selectionAt(info, 'MergeRequest');
          const [found] = await findMergeRequestsByIds(context, [id], selection, projectOf(context));
          return found ?? null;
        },
      }),
      note: t.field({
        type: Note,
        nullable: true,
        description: 'The note, if the task is in it.',
        resolve: async ({ type, id }, _args, context, info) => {
          if (type !== 'Note') return null;
          const [found] = await findNotesByIds(context, [id], selectionAt(info, 'Note'), projectOf(context));
          return found ?? null;
        },
      }),
    }),
  },
});
