import { builder } from '#schema/builder.ts';
import { Commit, CommitConnection } from '#schema/commits/types.ts';
import { loadCountedPage, pageArgs } from '#schema/connection.ts';
import { Repository } from '#schema/repository/types.ts';
import { findCommit } from '#src/commits/find.ts';
import { listCommits } from '#src/commits/list.ts';

builder.objectFields(Repository, (t) => ({
  commits: t.field({
    type: CommitConnection,
    description: 'Its commits, newest first.',
    args: {
      ...pageArgs,
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
      path: t.arg.string({ description: 'Only those that changed this file or directory.' }),
      since: t.arg({ type: 'DateTime', description: 'Only those committed then or later.' }),
      until: t.arg({ type: 'DateTime', description: 'Only those committed then or earlier.' }),
    },
    resolve: (project, args, context, info) =>
      loadCountedPage(args, info, (page) => listCommits(context, project, args, page)),
  }),
  commit: t.field({
    type: Commit,
    description: 'One of its commits.',
    args: { ref: t.arg.string({ required: true, description: 'A hash (4 to 40 digits), a branch or a tag.' }) },
    resolve: (project, { ref }, context) => findCommit(context, project, ref),
  }),
}));
