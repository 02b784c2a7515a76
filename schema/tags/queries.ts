import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Repository } from '#schema/repository/types.ts';
import { Tag, TagConnection } from '#schema/tags/types.ts';
import { findTag, listReleasedTags, listTags } from '#src/domain/repository/tags/list.ts';

builder.objectFields(Repository, (t) => ({
  tags: t.field({
    type: TagConnection,
    description: 'The tags of the repository, by name in reverse order.',
    args: {
      ...pageArgs,
      search: t.arg.string({ description: 'Only tags with this text in their names, in any case.' }),
    },
    resolve: (project, { search, ...args }, context, info) =>
      loadPage(args, info, (page) => listTags(context, project, page, search)),
  }),
  releasedTags: t.field({
    type: TagConnection,
    description: 'The tags with release notes, those with the newest notes first.',
    args: pageArgs,
    resolve: (project, args, context, info) => loadPage(args, info, (page) => listReleasedTags(context, project, page)),
  }),
  tag: t.field({
    type: Tag,
    description: 'A tag of the repository by its name.',
    args: { name: t.arg.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }) },
    resolve: (project, { name }, context) => findTag(context, project, name),
  }),
}));
