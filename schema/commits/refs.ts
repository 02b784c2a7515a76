import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { Repository } from '#schema/repository/types.ts';
import { findMergeBase, MAX_REVISIONS } from '#src/domain/repository/commits/merge_base.ts';
import { listRefsOfCommit, type RefRow, shortName } from '#src/domain/repository/commits/refs.ts';

const RefType = builder.enumType('RefType', {
  description: 'What a name for a commit is.',
  values: {
    BRANCH: { value: 'branch', description: 'A branch of the repository.' },
    TAG: { value: 'tag', description: 'A tag of the repository.' },
  } as const,
});

const CommitRef = builder.objectRef<RefRow>('CommitRef').implement({
  description: 'A branch or tag that reaches a commit.',
  fields: (t) => ({
    type: t.expose('type', { type: RefType, description: 'Whether it is a branch or a tag.' }),
    name: t.string({
      description: 'Name of the branch or tag, without `refs/heads/` or `refs/tags/`.',
      resolve: (ref) => shortName(ref).toWellFormed(),
    }),
  }),
});

const CommitRefConnection = connectionOf('CommitRef', CommitRef);

builder.objectFields(Commit, (t) => ({
  refs: t.field({
    type: CommitRefConnection,
    description: 'The branches and tags that reach the commit: branches first, each by name.',
    args: {
      ...pageArgs,
      type: t.arg({ type: RefType, description: 'Only branches, or only tags.' }),
    },
    resolve: (commit, { type, ...args }, context, info) =>
      loadPage(args, info, (page) => listRefsOfCommit(context, commit, page, type)),
  }),
}));

builder.objectFields(Repository, (t) => ({
  mergeBase: t.field({
    type: Commit,
    description: 'The best common ancestor of several commits.',
    args: {
      refs: t.arg.stringList({
        required: true,
        description: `Branches, tags or hashes (7 to 40 digits), also with steps behind them: 2 to ${MAX_REVISIONS}.`,
      }),
    },
    resolve: (project, { refs }, context) => findMergeBase(context, project, refs),
  }),
}));
