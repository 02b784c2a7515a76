import { builder } from '#schema/builder.ts';
import { Commit, CommitConnection } from '#schema/commits/types.ts';
import { loadCountedPage, pageArgs } from '#schema/connection.ts';
import { Repository } from '#schema/repository/types.ts';
import { listCommits } from '#src/domain/repository/commits/list.ts';
import { findCommit } from '#src/domain/repository/find_commit.ts';

builder.objectFields(Repository, (t) => ({
  commits: t.field({
    type: CommitConnection,
    description: 'The history of a ref, newest commits first.',
    args: {
      ...pageArgs,
      ref: t.arg.string({
        description:
          'A branch, a tag or a hash, or a range `A..B` of what B has and A lacks; the default branch by default.',
      }),
      path: t.arg.string({ description: 'Only commits that changed this file or directory.' }),
      since: t.arg({ type: 'DateTime', description: 'Only commits made at this time or later.' }),
      until: t.arg({ type: 'DateTime', description: 'Only commits made at this time or earlier.' }),
      all: t.arg.boolean({
        description: 'Whether the commits are those of all branches and tags, whatever `ref` says.',
      }),
      author: t.arg.string({ description: 'Only commits of authors with this text in `Name <address>`.' }),
      topological: t.arg.boolean({
        description:
          'Whether no commit comes before those that are made on it, and lines of history stay together; by date otherwise.',
      }),
      follow: t.arg.boolean({
        description:
          'Whether the file at `path` is followed through its renames, for at most 10,000 commits. Without a path it means nothing.',
      }),
      firstParent: t.arg.boolean({ description: 'Whether merges are followed to their first parent alone.' }),
    },
    resolve: (project, args, context, info) =>
      loadCountedPage(args, info, (page) => listCommits(context, project, args, page)),
  }),
  commit: t.field({
    type: Commit,
    description: 'A commit of the repository by hash, branch or tag.',
    args: {
      ref: t.arg.string({
        required: true,
        description: 'A branch, a tag or a hash (7 to 40 digits), also with steps behind it, such as `master~1`.',
      }),
    },
    resolve: (project, { ref }, context) => findCommit(context, project, ref),
  }),
}));
