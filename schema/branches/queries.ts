import { Branch, BranchConnection } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Repository } from '#schema/repository/types.ts';
import { findBranch, listBranches } from '#src/domain/repository/branches/list.ts';

builder.objectFields(Repository, (t) => ({
  branches: t.field({
    type: BranchConnection,
    description: 'The branches of the repository, by name.',
    args: {
      ...pageArgs,
      search: t.arg.string({ description: 'Only branches with this text in their names, in any case.' }),
    },
    resolve: (project, { search, ...args }, context, info) =>
      loadPage(args, info, (page) => listBranches(context, project, page, search)),
  }),
  branch: t.field({
    type: Branch,
    description: 'A branch of the repository by its name.',
    args: { name: t.arg.string({ required: true, description: 'Name of the branch, without `refs/heads/`.' }) },
    resolve: (project, { name }, context) => findBranch(context, project, name),
  }),
}));
