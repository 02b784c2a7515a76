import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_commit';

export const commits: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/repository/commits',
    operation: operations.RepositoryCommitsDocument,
    result: 'project.repository.commits',
    precheck,
    words: { order: { default: false, topo: true } },
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha',
    operation: operations.RepositoryCommitDocument,
    result: 'project.repository.commit',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/sequence',
    operation: operations.CommitSequenceDocument,
    result: 'project.repository.commit',
    description: 'Counts the commits up to this one.',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/comments',
    operation: operations.CommitCommentsDocument,
    result: 'project.repository.commit.comments',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/diff',
    operation: operations.CommitDiffDocument,
    result: 'project.repository.commit.fileDiffs',
    precheck,
    description:
      'The files that a commit changed, by path. Where files are missing at the end or are too large, the header `X-Diff-Overflow` is `true`.',
    flags: { 'X-Diff-Overflow': 'overflow' },
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/signature',
    operation: operations.CommitSignatureDocument,
    result: 'project.repository.commit.signature',
    whenNull: { status: 404, message: '404 Signature Not Found' },
    precheck,
    constants: {
      commit_source: 'gitaly',
    },
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/refs',
    operation: operations.RefsOfCommitDocument,
    result: 'project.repository.commit.refs',
    precheck,
    nullWord: { type: 'all' },
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/changelog',
    operation: operations.ChangelogDocument,
    result: 'project.repository',
    precheck,
    alsoRefuses: [422],
    jobToken: true,
    description: 'A section of a changelog, which is not committed.',
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/merge_base',
    operation: operations.MergeBaseDocument,
    result: 'project.repository.mergeBase',
    precheck,
  },
];
