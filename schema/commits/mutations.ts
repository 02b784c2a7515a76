import { builder } from '#schema/builder.ts';
import { CommitComment, LineType } from '#schema/commits/comments.ts';
import { Commit } from '#schema/commits/types.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { cherryPickCommit } from '#src/commits/cherry_pick.ts';
import { createCommitComment } from '#src/commits/comment.ts';
import { madeComment } from '#src/commits/comments_list.ts';
import { createCommit } from '#src/commits/create.ts';
import type { CommitRow } from '#src/commits/find.ts';

export const ContentEncoding = builder.enumType('ContentEncoding', {
  description: 'How the content of a file is given.',
  values: {
    TEXT: { value: 'text', description: 'As it is, in UTF-8.' },
    BASE64: { value: 'base64', description: 'Any bytes in Base64.' },
  } as const,
});

const CommitAction = builder.enumType('CommitAction', {
  description: 'What a commit does to a file.',
  values: {
    CREATE: { value: 'create', description: 'Adds a file that is not there yet.' },
    UPDATE: { value: 'update', description: 'Gives a file new content.' },
    DELETE: { value: 'delete', description: 'Removes a file.' },
    MOVE: { value: 'move', description: 'Gives a file another path, and new content where some is given.' },
  } as const,
});

/** What an author is called where it is not the caller. */
export const author = (t: InputFields) => ({
  authorName: t.string({ description: 'Name of the author; that of the caller when left out.' }),
  authorEmail: t.string({ description: 'E-mail address of the author; that of the caller when left out.' }),
});

/** Contents too large for the text of a request. */
export const contentFile = (t: InputFields) =>
  t.field({
    type: 'Upload',
    description:
      'The content as a file of up to 20 MB, in the place of `content`, which is not required then. It is sent as the multipart request specification says.',
  });

const CommitActionInput = builder.inputType('CommitActionInput', {
  description: 'What a commit does to one file.',
  fields: (t) => ({
    action: t.field({ type: CommitAction, required: true, description: 'What is done to the file.' }),
    filePath: t.string({
      required: true,
      description: 'Path of the file from the root of the repository; where it goes, for a move.',
    }),
    previousPath: t.string({ description: 'Path of the file before a move, which requires it; not used otherwise.' }),
    content: t.string({
      description:
        'The whole content from now on: required to create or update; a moved file keeps what it has without.',
    }),
    contentFile: contentFile(t),
    encoding: t.field({
      type: ContentEncoding,
      required: true,
      defaultValue: 'text',
      description: 'How `content` is given.',
    }),
  }),
});

const CreateCommitInput = builder.inputType('CreateCommitInput', {
  description: 'A new commit on a branch.',
  fields: (t) => ({
    project: projectField(t, 'of the repository'),
    branch: t.string({
      required: true,
      description: 'Name of the branch that the commit is added to; of any branch in an empty repository.',
    }),
    message: t.string({ required: true, description: 'Message of the commit; its first line is the title.' }),
    actions: t.field({
      type: [CommitActionInput],
      required: true,
      description: 'What it does to files, one after another: all of it or nothing.',
    }),
    ...author(t),
  }),
});

const commit = (t: InputFields) =>
  t.string({ required: true, description: 'The commit: a hash of 4 to 40 digits, a branch or a tag.' });

const CherryPickCommitInput = builder.inputType('CherryPickCommitInput', {
  description: 'Which change to apply to which branch.',
  fields: (t) => ({
    project: projectField(t, 'of the repository'),
    sha: commit(t),
    branch: t.string({ required: true, description: 'Name of the branch that the change is added to.' }),
  }),
});

const CreateCommitCommentInput = builder.inputType('CreateCommitCommentInput', {
  description:
    'A comment on a commit. It is about a line if the hash is given in full and the file has that line; else about the commit.',
  fields: (t) => ({
    project: projectField(t, 'of the repository'),
    sha: commit(t),
    note: t.string({ required: true, description: 'Text of the comment, in Markdown.' }),
    path: t.string({ description: 'Path of the file that the comment is about.' }),
    line: t.int({ description: 'Number of the line that the comment is about, from 1.' }),
    lineType: t.field({ type: LineType, description: 'Whether the line is one of the old or the new file.' }),
  }),
});

function commitPayload(mutation: string) {
  return builder.objectRef<{ commit: CommitRow }>(namesOf(mutation).payload).implement({
    description: 'The commit that was made.',
    fields: (t) => ({
      commit: t.expose('commit', { type: Commit, description: 'The new commit, the latest of its branch.' }),
    }),
  });
}

const CreateCommitCommentPayload = builder.objectRef<{ id: number }>('CreateCommitCommentPayload').implement({
  description: 'The comment that was made.',
  fields: (t) => ({
    comment: t.field({
      type: CommitComment,
      description: 'The comment as others read it.',
      resolve: ({ id }, _args, context, info) => madeComment(context, id, selectionAt(info, 'CommitComment')),
    }),
  }),
});

builder.mutationFields((t) => ({
  createCommit: t.field({
    type: commitPayload('createCommit'),
    description: 'Commits changes of files to a branch. For developers, on protected branches for masters.',
    args: {
      input: t.arg({ type: CreateCommitInput, required: true, description: 'Branch, message and changes of files.' }),
    },
    resolve: async (_root, { input: { project, ...values } }, context) => ({
      commit: await createCommit(context, project, values),
    }),
  }),
  cherryPickCommit: t.field({
    type: commitPayload('cherryPickCommit'),
    description:
      'Commits the change that a commit made to another branch. For developers, on protected branches for masters.',
    args: {
      input: t.arg({ type: CherryPickCommitInput, required: true, description: 'Names the commit and the branch.' }),
    },
    resolve: async (_root, { input: { project, sha, branch } }, context) => ({
      commit: await cherryPickCommit(context, project, sha, branch),
    }),
  }),
  createCommitComment: t.field({
    type: CreateCommitCommentPayload,
    description: 'Comments on a commit, or on a line in it. For those who may read the commit.',
    args: {
      input: t.arg({
        type: CreateCommitCommentInput,
        required: true,
        description: 'Names the commit, and the comment on it.',
      }),
    },
    resolve: (_root, { input: { project, sha, ...values } }, context) =>
      createCommitComment(context, project, sha, values),
  }),
}));
