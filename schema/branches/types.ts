import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import type { BranchRow } from '#src/domain/repository/branches/list.ts';

export const Branch = builder.objectRef<BranchRow>('Branch').implement({
  description: 'A branch of a repository: a name for the latest commit of a line of development.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of the branch, without `refs/heads/`.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    commit: t.expose('commit', { type: Commit, description: 'The latest commit of the branch.' }),
    merged: t.exposeBoolean('merged', {
      description: 'Whether all its commits are in the default branch; false for the default branch itself.',
    }),
    protected: t.exposeBoolean('protected', {
      description: 'Whether the branch is protected, so that only masters can push and merge.',
    }),
    developersCanPush: t.exposeBoolean('developersCanPush', {
      description: 'Whether developers can push even though the branch is protected.',
    }),
    developersCanMerge: t.exposeBoolean('developersCanMerge', {
      description: 'Whether developers can merge into the branch even though it is protected.',
    }),
  }),
});

export const BranchConnection = connectionOf('Branch', Branch);
