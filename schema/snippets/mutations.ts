import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { type ChangedSnippet, changedSnippet } from '#src/domain/snippets/find.ts';
import { createSnippet, deleteSnippet, updateSnippet } from '#src/domain/snippets/save.ts';

const TITLE = 'Title of the snippet; at most 255 characters.';
const FILE_NAME = 'File name of the snippet; at most 255 characters.';

const which = (t: InputFields) => ({
  project: t.field({
    type: 'ProjectRef',
    description: 'The project of the snippet: full path, global ID or numeric ID. Left out for a personal snippet.',
  }),
  id: t.field({ ...idOf('Snippet'), required: true, description: 'Global or numeric ID of the snippet.' }),
});

const CreateSnippetInput = builder.inputType('CreateSnippetInput', {
  description: 'A new snippet of a project, or a personal one.',
  fields: (t) => ({
    project: t.field({
      type: 'ProjectRef',
      description:
        'The project that gets the snippet: full path, global ID or numeric ID. Left out for a personal one.',
    }),
    title: t.string({ required: true, description: TITLE }),
    fileName: t.string({ required: true, description: FILE_NAME }),
    content: t.string({ required: true, description: 'The whole text of the snippet.' }),
    visibility: t.field({
      type: Visibility,
      description: 'Who can see the snippet. By default, what the application settings say.',
    }),
  }),
});

const UpdateSnippetInput = builder.inputType('UpdateSnippetInput', {
  description: 'Changes to a snippet. What is left out stays as it is.',
  fields: (t) => ({
    ...which(t),
    title: t.string({ description: TITLE }),
    fileName: t.string({ description: FILE_NAME }),
    content: t.string({ description: 'The new text of the snippet.' }),
    visibility: t.field({ type: Visibility, description: 'Who can see the snippet.' }),
  }),
});

const DeleteSnippetInput = builder.inputType('DeleteSnippetInput', {
  description: 'Which snippet to delete.',
  fields: which,
});

function snippetPayload(mutation: string) {
  return builder.objectRef<ChangedSnippet>(namesOf(mutation).payload).implement({
    description: 'The snippet after the mutation.',
    fields: (t) => ({
      snippet: t.field({
        type: Snippet,
        description: 'The snippet as it is now.',
        resolve: (changed, _args, context, info) => changedSnippet(context, changed, selectionAt(info, 'Snippet')),
      }),
    }),
  });
}

const DeleteSnippetPayload = builder
  .objectRef<{ id: number; snippet: Known<'Snippet'> | null }>('DeleteSnippetPayload')
  .implement({
    description: 'The snippet that was deleted; both fields are null if there was none that the caller can see.',
    fields: (t) => ({
      deletedSnippetId: t.id({
        nullable: true,
        description: 'Global ID of the snippet that was deleted.',
        resolve: ({ id, snippet }) => snippet && toGlobalId('Snippet', id),
      }),
      snippet: t.expose('snippet', { type: Snippet, nullable: true, description: 'The snippet as it was.' }),
    }),
  });

builder.mutationFields((t) => ({
  createSnippet: t.field({
    type: snippetPayload('createSnippet'),
    description: 'Creates a snippet: of a project for its reporters, or a personal one.',
    args: { input: t.arg({ type: CreateSnippetInput, required: true, description: 'Title, file name and content.' }) },
    resolve: (_root, { input }, context) => createSnippet(context, input),
  }),
  updateSnippet: t.field({
    type: snippetPayload('updateSnippet'),
    description: 'Changes a snippet. For its author and administrators.',
    args: {
      input: t.arg({ type: UpdateSnippetInput, required: true, description: 'Names the snippet, and the changes.' }),
    },
    resolve: (_root, { input: { project, id, ...changes } }, context) =>
      updateSnippet(context, { project, id }, changes),
  }),
  deleteSnippet: t.field({
    type: DeleteSnippetPayload,
    description: 'Deletes a snippet. For its author and administrators. Does nothing if there is none.',
    args: { input: t.arg({ type: DeleteSnippetInput, required: true, description: 'Names the snippet to delete.' }) },
    resolve: async (_root, { input: { project, id } }, context, info) => ({
      id,
      snippet: await deleteSnippet(context, { project, id }, selectionAt(info, 'Snippet')),
    }),
  }),
}));
