import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { refPath } from '#src/domain/namespaces/address.ts';
import {
  type BranchRow,
  type Divergence,
  divergenceOf,
  MAX_COUNTED_COMMITS,
} from '#src/domain/repository/branches/list.ts';

const BranchDivergence = builder.objectRef<Divergence>('BranchDivergence').implement({
  description: 'How far a branch and the default branch have parted.',
  fields: (t) => ({
    ahead: t.exposeInt('ahead', {
      description: `Number of commits of the branch that the default branch lacks; ${MAX_COUNTED_COMMITS} stands for that many or more.`,
    }),
    behind: t.exposeInt('behind', {
      description: `Number of commits of the default branch that the branch lacks; ${MAX_COUNTED_COMMITS} stands for that many or more.`,
    }),
  }),
});

export const Branch = builder.objectRef<BranchRow>('Branch').implement({
  description: 'A branch of a repository: a name for the latest commit of a line of development.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the branch, which its name makes.',
      resolve: ({ commit, name }) => toGlobalId('Branch', [commit.project.id, name]),
    }),
    name: t.string({
      description: 'Name of the branch, without `refs/heads/`.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    commit: t.expose('commit', { type: Commit, description: 'The latest commit of the branch.' }),
    merged: t.exposeBoolean('merged', {
      description: 'Whether all its commits are in the default branch; false for the default branch itself.',
    }),
    default: t.exposeBoolean('default', { description: 'Whether it is the default branch of the project.' }),
    webUrl: t.string({
      description: 'URL of the page of the files at the branch.',
      resolve: ({ name, commit }, _args, { baseUrl }) => baseUrl + refPath(commit.project.fullPath, 'tree', name),
    }),
    divergence: t.field({
      type: BranchDivergence,
      nullable: true,
      description:
        'How many commits it is ahead of and behind the default branch; null for that one, and where a history cannot be read.',
      resolve: (branch, _args, context) => divergenceOf(context, branch),
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
