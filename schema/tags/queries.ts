import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { Repository } from '#schema/repository/types.ts';
import { Tag, TagConnection } from '#schema/tags/types.ts';
import { findTag, listReleasedTags, listTags } from '#src/domain/repository/tags/list.ts';

const TagOrder = builder.enumType('TagOrder', {
  description: 'What tags are sorted by.',
  values: {
    NAME: { value: 'name', description: 'Their names, in alphabetical order.' },
    UPDATED: { value: 'updated', description: 'When they were made: annotated ones themselves, others their commits.' },
    VERSION: { value: 'version', description: 'The versions that their names say, by their numbers.' },
  } as const,
});

builder.objectFields(Repository, (t) => ({
  tags: t.field({
    type: TagConnection,
    description: 'The tags of the repository, by name in reverse order unless they are sorted otherwise.',
    args: {
      ...pageArgs,
      search: t.arg.string({
        description:
          'Only tags with this text in their names, in any case. `^` before it stands for the beginning of the name, `$` behind it for the end.',
      }),
      orderBy: t.arg({ type: TagOrder, description: 'What the tags are sorted by; their names when left out.' }),
      sort: t.arg({ type: SortDirection, description: 'In which direction; `DESC` when left out.' }),
    },
    resolve: (project, { search, orderBy, sort, ...args }, context, info) =>
      loadPage(args, info, (page) => listTags(context, project, page, search, { orderBy, sort })),
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
