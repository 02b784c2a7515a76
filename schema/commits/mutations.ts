import { builder } from '#schema/builder.ts';
import { CommitComment, LineType } from '#schema/commits/comments.ts';
import { Commit } from '#schema/commits/types.ts';
import { deprecated } from '#schema/deprecated.ts';
import { Discussion } from '#schema/discussions/types.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { DiffPositionInput } from '#schema/notes/mutations.ts';
import { Note } from '#schema/notes/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { cherryPickCommit } from '#src/domain/repository/commits/cherry_pick.ts';
import { createCommit } from '#src/domain/repository/commits/create.ts';
import { updateSubmodule } from '#src/domain/repository/files/submodule.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import {
  type ChangedComment,
  commitHolding,
  createCommitComment,
  deleteCommitComment,
  updateCommitComment,
} from '#src/domain/tracking/commits/comment.ts';
import { madeComment } from '#src/domain/tracking/commits/comments_list.ts';
import { findCommitDiscussion, findCommitNote } from '#src/domain/tracking/commits/discussions.ts';
import { revertCommit } from '#src/domain/tracking/commits/revert.ts';

export const ContentEncoding = builder.enumType('ContentEncoding', {
  description: 'How the content of a file is given.',
  values: {
    TEXT: { value: 'text', description: 'Plain text in UTF-8.' },
    BASE64: { value: 'base64', description: 'Base64, for any bytes.' },
  } as const,
});

const CommitAction = builder.enumType('CommitAction', {
  description: 'What a commit does to a file.',
  values: {
    CREATE: { value: 'create', description: 'Adds a new file.' },
    UPDATE: { value: 'update', description: 'Gives a file new content.' },
    DELETE: { value: 'delete', description: 'Removes a file.' },
    MOVE: { value: 'move', description: 'Moves a file to another path, with new content if given.' },
    CHMOD: { value: 'chmod', description: 'Makes a file executable, or no longer so.' },
  } as const,
});

/** Author fields, where the author is not the caller. */
export const author = (t: InputFields) => ({
  authorName: t.string({ description: 'Name of the author; the caller’s own when left out.' }),
  authorEmail: t.string({ description: 'E-mail address of the author; the caller’s own when left out.' }),
});

const dryRun = (t: InputFields) =>
  t.boolean({ description: 'Whether nothing is changed: an error says why the mutation would fail.' });

/** The branch that a new one begins at. */
export const startBranch = (t: InputFields) =>
  t.string({
    description:
      'Name of the branch at which `branch` begins, if that is another one: it is created with the commit, and must not exist yet. Without it `branch` must exist, except in an empty repository.',
  });

/** The state of a file that a client knows. */
export const lastCommitId = (t: InputFields) =>
  t.string({
    description:
      'Full hash of a commit in which the file was as the client knows it, such as `lastCommitSha` of the file. BAD_REQUEST if its content has changed since; not checked when left out.',
  });

/** Whether a file can be run. */
export const executeFilemode = (t: InputFields) =>
  t.boolean({ description: 'Whether the file is executable. It stays as it is when left out; new files are not.' });

/** A file for contents too large for the text of a request. */
export const contentFile = (t: InputFields) =>
  t.field({
    type: 'Upload',
    description:
      'The content as a file of up to 20 MB, in the place of `content`, which is not required then. It is sent as the multipart request specification says.',
  });

export const CommitActionInput = builder.inputType('CommitActionInput', {
  description: 'What a commit does to one file.',
  fields: (t) => ({
    action: t.field({ type: CommitAction, required: true, description: 'What is done to the file.' }),
    filePath: t.string({
      required: true,
      description: 'Path of the file from the root of the repository; for a move, the new path.',
    }),
    previousPath: t.string({ description: 'Previous path of a moved file; required for a move, ignored otherwise.' }),
    content: t.string({
      description: 'The new content. Required to create or update; a moved file keeps its content when left out.',
    }),
    contentFile: contentFile(t),
    encoding: t.field({
      type: ContentEncoding,
      required: true,
      defaultValue: 'text',
      description: 'How `content` is given.',
    }),
    executeFilemode: executeFilemode(t),
    lastCommitId: lastCommitId(t),
  }),
});

const commit = (t: InputFields) =>
  t.string({
    required: true,
    description:
      'The commit: a branch, a tag or a hash (7 to 40 digits), also with steps behind it, such as `master~1`.',
  });

const whichComment = (t: InputFields) => ({
  project: holderField(t, 'comment'),
  sha: t.string({
    description:
      'The commit that the comment must be on: a branch, a tag or a hash (7 to 40 digits), also with steps behind it, such as `master~1`. Any commit when left out.',
  }),
  id: t.field({ ...idOf('CommitComment'), required: true, description: 'Global or numeric ID of the comment.' }),
  discussionId: t.field({
    ...idOf('CommitDiscussion'),
    description: 'ID of the thread that the comment must be in. Any thread when left out.',
  }),
});

function commitPayload(description = 'The new commit, the latest of its branch.'): Payload<{ commit: CommitRow }> {
  return {
    description: 'The commit that was created.',
    fields: (t) => ({ commit: t.expose('commit', { type: Commit, description }) }),
  };
}

const LATEST = 'The new commit, the latest of the branch; with `dryRun` the latest that the branch has.';

const commentPayload: Payload<ChangedComment> = {
  description: 'The comment after the mutation.',
  fields: (t) => ({
    comment: t.field({
      type: CommitComment,
      description: 'The comment as others see it.',
      resolve: ({ id }, _args, context, info) => madeComment(context, id, selectionAt(info, 'CommitComment')),
    }),
    note: t.field({
      type: Note,
      description: 'The comment in the form of a note.',
      resolve: ({ id, commit }, _args, context, info) => findCommitNote(context, commit, id, selectionAt(info, 'Note')),
    }),
    discussion: t.field({
      type: Discussion,
      description: 'The thread that the comment is in.',
      resolve: ({ commit, discussionId }, _args, context, info) =>
        findCommitDiscussion(context, commit, discussionId, selectionAt(info, 'Note')),
    }),
  }),
};

mutation('createCommit', {
  description: 'Commits changes of files to a branch. For developers; on protected branches, for masters.',
  input: {
    description: 'A new commit on a branch.',
    argument: 'Branch, message and changes of files.',
    fields: (t) => ({
      project: projectField(t, 'of the repository'),
      branch: t.string({
        required: true,
        description: 'Name of the branch that gets the commit; in an empty repository any name.',
      }),
      startBranch: startBranch(t),
      startSha: t.string({
        description: 'Full hash of the commit at which `branch` begins, in the place of `startBranch`.',
      }),
      startProject: t.field({
        type: 'ProjectRef',
        description:
          'The project that has `startBranch` or `startSha`, if it is another one of the same forks that the caller can read the repository of. Its commits are taken over.',
      }),
      force: t.boolean({
        description:
          'Whether a branch that exists is replaced by one that begins at `startBranch` or `startSha`, as by a forced push.',
      }),
      message: t.string({ required: true, description: 'Message of the commit; its first line is the title.' }),
      actions: t.field({
        type: [CommitActionInput],
        required: true,
        description: 'The changes to files, in order. Either all are made or none.',
      }),
      allowEmpty: t.boolean({ description: 'Whether a commit without actions is made, which changes no files.' }),
      ...author(t),
    }),
  },
  resolve: async ({ project, ...values }, context) => ({ commit: await createCommit(context, project, values) }),
  payload: commitPayload(),
});

mutation('cherryPickCommit', {
  description: 'Applies the change of a commit to another branch. For developers; on protected branches, for masters.',
  input: {
    description: 'Which commit to apply to which branch.',
    argument: 'Names the commit and the branch.',
    fields: (t) => ({
      project: projectField(t, 'of the repository'),
      sha: commit(t),
      branch: t.string({ required: true, description: 'Name of the branch that gets the change.' }),
      startBranch: startBranch(t),
      message: t.string({ description: 'Message of the new commit; that of the commit if left out.' }),
      dryRun: dryRun(t),
    }),
  },
  resolve: async ({ project, ...what }, context) => ({ commit: await cherryPickCommit(context, project, what) }),
  payload: commitPayload(LATEST),
});

mutation('updateSubmodule', {
  description: 'Moves a submodule to another commit. For developers; on protected branches, for masters.',
  input: {
    description: 'To which commit a submodule is moved.',
    argument: 'Names the submodule and the commit.',
    fields: (t) => ({
      project: projectField(t, 'of the repository'),
      path: t.string({ required: true, description: 'Path of the submodule from the root of the repository.' }),
      branch: t.string({ required: true, description: 'Name of the branch that gets the commit.' }),
      commitSha: t.string({ required: true, description: 'Full hash of the commit of the other repository.' }),
      message: t.string({ description: 'Message of the commit; it names the submodule when left out.' }),
    }),
  },
  resolve: async ({ project, ...what }, context) => ({ commit: await updateSubmodule(context, project, what) }),
  payload: commitPayload(),
});

mutation('revertCommit', {
  description:
    'Takes back what a commit changed compared to its first parent. For developers; on protected branches, for masters.',
  input: {
    description: 'Which commit to revert on which branch.',
    argument: 'Names the commit and the branch.',
    fields: (t) => ({
      project: projectField(t, 'of the repository'),
      sha: commit(t),
      branch: t.string({ required: true, description: 'Name of the branch on which its change is taken back.' }),
      startBranch: startBranch(t),
      dryRun: dryRun(t),
    }),
  },
  resolve: async ({ project, ...what }, context) => ({ commit: await revertCommit(context, project, what) }),
  payload: commitPayload(LATEST),
});

mutation('createCommitComment', {
  description: 'Comments on a commit, or on a line in it. For everyone who can read the commit.',
  input: {
    description:
      'A comment on a commit. It is about a line if the full hash is given and the file has that line, otherwise about the whole commit.',
    argument: 'Names the commit, and the comment on it.',
    fields: (t) => ({
      project: projectField(t, 'of the repository'),
      sha: commit(t),
      note: t.string({ required: true, description: 'Text of the comment, in Markdown.' }),
      path: t.string({ description: 'Path of the file that the comment is about.' }),
      line: t.int({ description: 'Number of the line that the comment is about, from 1.' }),
      lineType: t.field({ type: LineType, description: 'Whether the line is in the old or the new file.' }),
      position: t.field({
        type: DiffPositionInput,
        description:
          'The line or file that the comment is about, in place of `path`, `line` and `lineType`. It must be in the commit, which is the only one meant.',
      }),
      startDiscussion: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the comment begins a thread.',
      }),
      discussionId: t.field({
        ...idOf('CommitDiscussion'),
        description: 'ID of the thread to answer in, which must be on the same commit.',
      }),
      createdAt: t.field({
        type: 'DateTime',
        description:
          'When the comment was written; now when left out. For administrators and the owner of the personal namespace.',
      }),
      ignoreForbidden: t.boolean({
        required: true,
        ...deprecated('Leave out what is refused: this is for the REST API.', '0.3.0', '0.5.0'),
        defaultValue: false,
        description:
          'Whether to silently ignore a time that the caller cannot set, as the REST API does. By default it is refused.',
      }),
    }),
  },
  resolve: ({ project, sha, ...values }, context) => createCommitComment(context, project, sha, values),
  payload: commentPayload,
});

mutation('updateCommitComment', {
  description: 'Changes the text of a comment on a commit. For its author and masters of the project.',
  input: {
    description: 'A change to a comment on a commit.',
    argument: 'Names the comment, and the text.',
    fields: (t) => ({
      ...whichComment(t),
      note: t.string({ required: true, description: 'Text of the comment, in Markdown.' }),
    }),
  },
  resolve: async ({ note, ...which }, context) =>
    updateCommitComment(context, await commitHolding(context, which), note),
  payload: commentPayload,
});

mutation('deleteCommitComment', {
  description: 'Deletes a comment on a commit. For its author and masters of the project.',
  input: {
    description: 'Which comment on a commit to delete.',
    argument: 'Names the comment to delete.',
    fields: whichComment,
  },
  resolve: async (input, context) => deleteCommitComment(context, await commitHolding(context, input)),
  payload: deleted('CommitComment', 'comment'),
});
