import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import type { BranchRow } from '#src/branches/list.ts';

export const Branch = builder.objectRef<BranchRow>('Branch').implement({
  description: 'A line of development: a name for the latest of its commits.',
  fields: (t) => ({
    name: t.string({ description: 'Without `refs/heads/`.', resolve: ({ name }) => name.toWellFormed() }),
    commit: t.expose('commit', { type: Commit, description: 'The latest commit.' }),
    merged: t.exposeBoolean('merged', {
      description: 'Whether the default branch, another one, has all its commits.',
    }),
    protected: t.exposeBoolean('protected', { description: 'Whether pushing and merging take a master.' }),
    developersCanPush: t.exposeBoolean('developersCanPush', {
      description: 'Whether developers may push though it is protected.',
    }),
    developersCanMerge: t.exposeBoolean('developersCanMerge', {
      description: 'Whether developers may merge into it though it is protected.',
    }),
  }),
});

export const BranchConnection = connectionOf('Branch', Branch);
