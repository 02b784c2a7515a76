import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { commitDiff, commitDiffPage } from '#src/commits/diff.ts';
import type { DiffEntry } from '#src/git/diff/diff.ts';

export const FileDiff = builder.objectRef<DiffEntry>('FileDiff').implement({
  description: 'The difference of one file, link or submodule between two states.',
  fields: (t) => ({
    diff: t.string({
      description:
        'The lines that differ, in the format of `git diff` without headers; empty where only mode or name differ.',
      resolve: ({ diff }) => diff.toWellFormed(),
    }),
    oldPath: t.string({
      description: 'Path of the file before the change, from the root.',
      resolve: ({ oldPath }) => oldPath.toWellFormed(),
    }),
    newPath: t.string({
      description: 'Path of the file after the change, from the root.',
      resolve: ({ newPath }) => newPath.toWellFormed(),
    }),
    oldMode: t.exposeString('oldMode', {
      nullable: true,
      description: 'Mode of the file before, as six octal digits; null for a new file.',
    }),
    newMode: t.exposeString('newMode', {
      nullable: true,
      description: 'Mode of the file after, as six octal digits; null for a deleted file.',
    }),
    newFile: t.exposeBoolean('newFile', { description: 'Whether the file was not there before.' }),
    renamedFile: t.exposeBoolean('renamedFile', { description: 'Whether the file had another path before.' }),
    deletedFile: t.exposeBoolean('deletedFile', { description: 'Whether the file is not there afterwards.' }),
    binary: t.exposeBoolean('binary', { description: 'Whether the file is binary: its lines are not compared then.' }),
    tooLarge: t.boolean({
      nullable: true,
      description: 'True where the file was too large to be compared, and `diff` is empty; null for others.',
      resolve: ({ tooLarge }) => tooLarge || null,
    }),
    additions: t.exposeInt('additions', { description: 'Number of lines added to the file.' }),
    deletions: t.exposeInt('deletions', { description: 'Number of lines removed from the file.' }),
  }),
});

const FileDiffConnection = connectionOf('FileDiff', FileDiff);

builder.objectFields(Commit, (t) => ({
  diffs: t.field({
    type: [FileDiff],
    description:
      'All files that the commit changed against its first parent, by path; `fileDiffs` has them page by page.',
    resolve: (commit, _args, context) => commitDiff(context, commit),
  }),
  fileDiffs: t.field({
    type: FileDiffConnection,
    description: 'The files that the commit changed against its first parent, by path.',
    args: pageArgs,
    resolve: (commit, args, context, info) =>
      loadCountedPage(args, info, (page) => commitDiffPage(context, commit, page)),
  }),
}));
