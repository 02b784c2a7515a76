import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { commitDiff, commitDiffPage } from '#src/domain/repository/commits/diff.ts';
import type { DiffEntry } from '#src/git/diff/diff.ts';
import { isGenerated } from '#src/git/diff/generated.ts';
import { withoutHeaders } from '#src/git/diff/headers.ts';

export const FileDiff = builder.objectRef<DiffEntry>('FileDiff').implement({
  description: 'The difference of one file, link or submodule between two states.',
  fields: (t) => ({
    diff: t.string({
      description:
        'The lines that differ, in the format of `git diff` without headers; empty if only the mode or the name differ.',
      args: {
        headers: t.arg.boolean({
          required: true,
          defaultValue: true,
          description: 'Whether it begins with the lines `---` and `+++` that name the file.',
        }),
      },
      resolve: ({ diff }, { headers }) => (headers ? diff : withoutHeaders(diff)).toWellFormed(),
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
    newFile: t.exposeBoolean('newFile', { description: 'Whether the change added the file.' }),
    renamedFile: t.exposeBoolean('renamedFile', { description: 'Whether the change renamed the file.' }),
    deletedFile: t.exposeBoolean('deletedFile', { description: 'Whether the change deleted the file.' }),
    binary: t.exposeBoolean('binary', {
      description: 'Whether the file is binary, so that its lines are not compared.',
    }),
    tooLarge: t.exposeBoolean('tooLarge', {
      description: 'Whether the file is too large to be compared, so that `diff` is empty.',
    }),
    collapsed: t.boolean({
      description: 'Whether `diff` is left out although it could be compared, which no list does.',
      resolve: () => false,
    }),
    generatedFile: t.boolean({
      description: 'Whether a program writes the file: a lock file of a package manager, by its name.',
      resolve: ({ newPath }) => isGenerated(newPath),
    }),
    additions: t.exposeInt('additions', { description: 'Number of lines added to the file.' }),
    deletions: t.exposeInt('deletions', { description: 'Number of lines removed from the file.' }),
  }),
});

export const FileDiffConnection = connectionOf('FileDiff', FileDiff);

builder.objectField(FileDiffConnection, 'overflow', (t) =>
  t.boolean({
    description:
      'Whether files of the whole list are missing at its end, or are too large, because there are too many.',
    resolve: (page) => 'overflow' in page && page.overflow === true,
  }),
);

builder.objectFields(Commit, (t) => ({
  diffs: t.field({
    type: [FileDiff],
    description:
      'The files that the commit changed compared to its first parent, by path. `fileDiffs` has them page by page.',
    resolve: async (commit, _args, context) => (await commitDiff(context, commit)).entries,
  }),
  fileDiffs: t.field({
    type: FileDiffConnection,
    description: 'The files that the commit changed against its first parent, by path.',
    args: pageArgs,
    resolve: (commit, args, context, info) =>
      loadCountedPage(args, info, (page) => commitDiffPage(context, commit, page)),
  }),
}));
