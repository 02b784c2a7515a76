import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import type { InputFields } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { type ChangedSnippet, changedSnippet } from '#src/domain/snippets/find.ts';
import { createSnippet, deleteSnippet, updateSnippet } from '#src/domain/snippets/save.ts';

const TITLE = 'Title of the snippet; at most 255 characters.';
const FILE_NAME = 'Name of the first file of the snippet; at most 255 characters.';

const FileAction = builder.enumType('SnippetFileAction', {
  description: 'What becomes of a file of a snippet.',
  values: {
    CREATE: { value: 'create', description: 'The file is added behind the others.' },
    UPDATE: { value: 'update', description: 'The file gets another text.' },
    DELETE: { value: 'delete', description: 'The file is removed.' },
    MOVE: { value: 'move', description: 'The file gets another name, and another text if one is given.' },
  } as const,
});

const SnippetFileInput = builder.inputType('SnippetFileInput', {
  description: 'A file of a snippet, and what becomes of it.',
  fields: (t) => ({
    action: t.field({ type: FileAction, description: 'What becomes of the file; files of a new snippet are created.' }),
    filePath: t.string({
      description: 'Name of the file; at most 255 characters. A new snippet names it when left out.',
    }),
    previousPath: t.string({ description: 'Name before, of a file that is moved.' }),
    content: t.string({ description: 'The whole text of the file.' }),
  }),
});

const DESCRIPTION = 'What the snippet is for, in Markdown.';

const which = (t: InputFields) => ({
  project: t.field({
    type: 'ProjectRef',
    description: 'The project of the snippet: full path, global ID or numeric ID. Left out for a personal snippet.',
  }),
  id: t.field({ ...idOf('Snippet'), required: true, description: 'Global or numeric ID of the snippet.' }),
});

const snippetPayload: Payload<ChangedSnippet> = changed('snippet', Snippet, 'Snippet', changedSnippet);

mutation('createSnippet', {
  description: 'Creates a snippet: of a project for its reporters, or a personal one.',
  input: {
    description: 'A new snippet of a project, or a personal one.',
    argument: 'Title, file name and content.',
    fields: (t) => ({
      project: t.field({
        type: 'ProjectRef',
        description:
          'The project that gets the snippet: full path, global ID or numeric ID. Left out for a personal one.',
      }),
      title: t.string({ required: true, description: TITLE }),
      description: t.string({ description: DESCRIPTION }),
      fileName: t.string({ description: `${FILE_NAME} Required without \`files\`.` }),
      content: t.string({ description: 'The whole text of the snippet. Required without `files`.' }),
      files: t.field({
        type: [SnippetFileInput],
        description: 'The files of the snippet, at most 10, in place of `fileName` and `content`.',
      }),
      visibility: t.field({
        type: Visibility,
        description: 'Who can see the snippet. By default, what the application settings say.',
      }),
    }),
  },
  resolve: (input, context) => createSnippet(context, input),
  payload: snippetPayload,
});

mutation('updateSnippet', {
  description: 'Changes a snippet. For its author and administrators.',
  input: {
    description: 'Changes to a snippet. What is left out stays as it is.',
    argument: 'Names the snippet, and the changes.',
    fields: (t) => ({
      ...which(t),
      title: t.string({ description: TITLE }),
      description: t.string({ description: DESCRIPTION }),
      fileName: t.string({ description: FILE_NAME }),
      content: t.string({ description: 'The new text of the first file.' }),
      files: t.field({
        type: [SnippetFileInput],
        description: 'What becomes of its files, in order, in place of `fileName` and `content`: all of it or nothing.',
      }),
      visibility: t.field({ type: Visibility, description: 'Who can see the snippet.' }),
    }),
  },
  resolve: ({ project, id, ...changes }, context) => updateSnippet(context, { project, id }, changes),
  payload: snippetPayload,
});

mutation('deleteSnippet', {
  description: 'Deletes a snippet. For its author and administrators. Does nothing if there is none.',
  input: { description: 'Which snippet to delete.', argument: 'Names the snippet to delete.', fields: which },
  resolve: async ({ project, id }, context, info) => ({
    id,
    snippet: await deleteSnippet(context, { project, id }, selectionAt(info, 'Snippet')),
  }),
  payload: {
    description: 'The snippet that was deleted; both fields are null if there was none that the caller can see.',
    fields: (t) => ({
      deletedSnippetId: t.id({
        nullable: true,
        description: 'Global ID of the snippet that was deleted.',
        resolve: ({ id, snippet }) => snippet && toGlobalId('Snippet', id),
      }),
      snippet: t.expose('snippet', { type: Snippet, nullable: true, description: 'The snippet as it was.' }),
    }),
  },
});
