import { builder } from '#schema/builder.ts';
import { CommitComment, LineType } from '#schema/commits/comments.ts';
import { Commit } from '#schema/commits/types.ts';
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

const CommitActionInput = builder.inputType('CommitActionInput', {
  description: 'What happens to one file.',
  fields: (t) => ({
    action: t.string({ description: '`create`, `update`, `delete` or `move`.' }),
    filePath: t.string({ description: 'The file; for a move where it goes.' }),
    previousPath: t.string({ description: 'Where a moved file was.' }),
    content: t.string({ description: 'All of its content from now on; a moved file keeps what it has without.' }),
    encoding: t.field({ type: ContentEncoding, description: 'How the content is given; text by default.' }),
  }),
});

const CreateCommitInput = builder.inputType('CreateCommitInput', {
  description: 'A new commit.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    branch: t.string({ required: true, description: 'The branch that it is added to; in an empty repository any.' }),
    message: t.string({ required: true, description: 'Why it is made.' }),
    actions: t.field({
      type: [CommitActionInput],
      required: true,
      description: 'What it changes, one after another; all of it or nothing.',
    }),
    authorName: t.string({ description: 'Who wrote the change, if not the caller.' }),
    authorEmail: t.string({ description: 'E-mail address of who wrote the change.' }),
  }),
});

const CherryPickCommitInput = builder.inputType('CherryPickCommitInput', {
  description: 'Which change to take where.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    sha: t.string({ required: true, description: 'The commit: a hash (4 to 40 digits), a branch or a tag.' }),
    branch: t.string({ required: true, description: 'The branch that the change is added to.' }),
  }),
});

const CreateCommitCommentInput = builder.inputType('CreateCommitCommentInput', {
  description:
    'A comment on a commit. It is about a line if the hash is given in full and the file has that line; else about the commit.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    sha: t.string({ required: true, description: 'The commit: a hash (4 to 40 digits), a branch or a tag.' }),
    note: t.string({ required: true, description: 'What is said, in Markdown.' }),
    path: t.string({ description: 'The file that it is about.' }),
    line: t.int({ description: 'The line that it is about, from 1.' }),
    lineType: t.field({ type: LineType, description: 'On which side that line is.' }),
  }),
});

const CommitPayload = builder.objectRef<{ commit: CommitRow }>('CommitPayload').implement({
  description: 'The commit that was made.',
  fields: (t) => ({ commit: t.expose('commit', { type: Commit, description: 'The commit.' }) }),
});

const CreateCommitCommentPayload = builder.objectRef<{ id: number }>('CreateCommitCommentPayload').implement({
  description: 'What was said.',
  fields: (t) => ({
    comment: t.field({
      type: CommitComment,
      description: 'The comment.',
      resolve: ({ id }, _args, context, info) => madeComment(context, id, selectionAt(info, 'CommitComment')),
    }),
  }),
});

builder.mutationFields((t) => ({
  createCommit: t.field({
    type: CommitPayload,
    description: 'Commits changes of files to a branch.',
    args: { input: t.arg({ type: CreateCommitInput, required: true, description: 'The new commit.' }) },
    resolve: async (_root, { input: { project, ...values } }, context) => ({
      commit: await createCommit(context, project, values),
    }),
  }),
  cherryPickCommit: t.field({
    type: CommitPayload,
    description: 'Commits the change that a commit made to another branch.',
    args: { input: t.arg({ type: CherryPickCommitInput, required: true, description: 'Which change, and where.' }) },
    resolve: async (_root, { input: { project, sha, branch } }, context) => ({
      commit: await cherryPickCommit(context, project, sha, branch),
    }),
  }),
  createCommitComment: t.field({
    type: CreateCommitCommentPayload,
    description: 'Comments on a commit, or on a line in it.',
    args: { input: t.arg({ type: CreateCommitCommentInput, required: true, description: 'The comment.' }) },
    resolve: (_root, { input: { project, sha, ...values } }, context) =>
      createCommitComment(context, project, sha, values),
  }),
}));
