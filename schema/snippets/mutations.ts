import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { type ChangedSnippet, changedSnippet } from '#src/snippets/find.ts';
import { createSnippet, deleteSnippet, updateSnippet } from '#src/snippets/save.ts';

const WHERE = 'Where it is; a personal snippet is meant when absent.';

const CreateSnippetInput = builder.inputType('CreateSnippetInput', {
  description: 'A new snippet.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', description: 'Where; it is a personal one when absent.' }),
    title: t.string({ required: true, description: 'At most 255 characters.' }),
    fileName: t.string({ required: true, description: 'At most 255 characters.' }),
    content: t.string({ required: true, description: 'The text.' }),
    visibility: t.field({ type: Visibility, description: "The settings' default when absent." }),
  }),
});

const UpdateSnippetInput = builder.inputType('UpdateSnippetInput', {
  description: 'Changes to a snippet: unset means unchanged.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', description: WHERE }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the snippet.' }),
    title: t.string({ description: 'At most 255 characters.' }),
    fileName: t.string({ description: 'At most 255 characters.' }),
    content: t.string({ description: 'The text.' }),
    visibility: t.field({ type: Visibility, description: 'Who may see it.' }),
  }),
});

const DeleteSnippetInput = builder.inputType('DeleteSnippetInput', {
  description: 'Which snippet to delete.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', description: WHERE }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the snippet.' }),
  }),
});

const SnippetPayload = builder.objectRef<ChangedSnippet>('SnippetPayload').implement({
  description: 'The snippet as it is now.',
  fields: (t) => ({
    snippet: t.field({
      type: Snippet,
      description: 'The snippet.',
      resolve: (changed, _args, context, info) => changedSnippet(context, changed, selectionAt(info, 'Snippet')),
    }),
  }),
});

const DeleteSnippetPayload = builder.objectRef<{ snippet: Known<'Snippet'> | null }>('DeleteSnippetPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    snippet: t.expose('snippet', {
      type: Snippet,
      nullable: true,
      description: 'The snippet as it was; null when there was none that the caller sees.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createSnippet: t.field({
    type: SnippetPayload,
    description: 'Makes a snippet.',
    args: { input: t.arg({ type: CreateSnippetInput, required: true, description: 'The new snippet.' }) },
    resolve: (_root, { input }, context) => createSnippet(context, input),
  }),
  updateSnippet: t.field({
    type: SnippetPayload,
    description: 'Changes a snippet, for its author and administrators.',
    args: { input: t.arg({ type: UpdateSnippetInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, databaseId: id, ...changes } }, context) =>
      updateSnippet(context, { project, id }, changes),
  }),
  deleteSnippet: t.field({
    type: DeleteSnippetPayload,
    description: 'Deletes a snippet, for its author and administrators. Nothing happens when there is none.',
    args: { input: t.arg({ type: DeleteSnippetInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, databaseId: id } }, context, info) => ({
      snippet: await deleteSnippet(context, { project, id }, selectionAt(info, 'Snippet')),
    }),
  }),
}));
