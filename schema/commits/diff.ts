import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { commitDiff } from '#src/commits/diff.ts';
import type { DiffEntry } from '#src/git/diff/diff.ts';

export const FileDiff = builder.objectRef<DiffEntry>('FileDiff').implement({
  description: 'How one file, link or submodule differs.',
  fields: (t) => ({
    diff: t.string({
      description: 'The lines that differ, as git words them; empty where only mode or name differ.',
      resolve: ({ diff }) => diff.toWellFormed(),
    }),
    oldPath: t.string({ description: 'Its path before.', resolve: ({ oldPath }) => oldPath.toWellFormed() }),
    newPath: t.string({ description: 'Its path after.', resolve: ({ newPath }) => newPath.toWellFormed() }),
    oldMode: t.exposeString('oldMode', { nullable: true, description: 'Its mode before; null for a new file.' }),
    newMode: t.exposeString('newMode', { nullable: true, description: 'Its mode after; null for a deleted file.' }),
    newFile: t.exposeBoolean('newFile', { description: 'Whether it was not there before.' }),
    renamedFile: t.exposeBoolean('renamedFile', { description: 'Whether it had another path before.' }),
    deletedFile: t.exposeBoolean('deletedFile', { description: 'Whether it is not there after.' }),
    binary: t.exposeBoolean('binary', { description: 'Whether it is no text.' }),
    tooLarge: t.boolean({
      nullable: true,
      description: 'True where it was too large to be compared, and `diff` is empty; null for others.',
      resolve: ({ tooLarge }) => tooLarge || null,
    }),
    additions: t.exposeInt('additions', { description: 'Lines added.' }),
    deletions: t.exposeInt('deletions', { description: 'Lines removed.' }),
  }),
});

builder.objectFields(Commit, (t) => ({
  diffs: t.field({
    type: [FileDiff],
    description: 'What it changed against its first parent, by path.',
    resolve: (commit, _args, context) => commitDiff(context, commit),
  }),
}));
