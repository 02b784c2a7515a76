import { Branch, BranchConnection } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Repository } from '#schema/repository/types.ts';
import { findBranch, listBranches } from '#src/domain/repository/branches/list.ts';

const BranchOrder = builder.enumType('BranchOrder', {
  description: 'What branches are sorted by.',
  values: {
    NAME_ASC: { value: 'name_asc', description: 'Their names, in alphabetical order.' },
    UPDATED_ASC: { value: 'updated_asc', description: 'When their latest commits were made, oldest first.' },
    UPDATED_DESC: { value: 'updated_desc', description: 'When their latest commits were made, newest first.' },
  } as const,
});

builder.objectFields(Repository, (t) => ({
  branches: t.field({
    type: BranchConnection,
    description: 'The branches of the repository, by name unless they are sorted otherwise.',
    args: {
      ...pageArgs,
      search: t.arg.string({
        description:
          'Only branches with this text in their names, in any case. `^` before it stands for the beginning of the name, `$` behind it for the end.',
      }),
      regex: t.arg.string({
        description:
          'Only branches whose names this regular expression matches, anywhere unless it is anchored, in place of `search`. `(?i)` in front ignores case.',
      }),
      sort: t.arg({
        type: BranchOrder,
        required: true,
        defaultValue: 'name_asc',
        description: 'What the branches are sorted by.',
      }),
    },
    resolve: (project, { search, regex, sort, ...args }, context, info) =>
      loadPage(args, info, (page) => listBranches(context, project, page, { search, regex, sort })),
  }),
  branch: t.field({
    type: Branch,
    description: 'A branch of the repository by its name.',
    args: { name: t.arg.string({ required: true, description: 'Name of the branch, without `refs/heads/`.' }) },
    resolve: (project, { name }, context) => findBranch(context, project, name),
  }),
}));
