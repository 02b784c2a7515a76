import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { onlyField, sortField } from '#schema/inputs.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { Project } from '#schema/projects/types.ts';
import type { ProjectList, ProjectOrder } from '#src/domain/projects/list.ts';
import type { Direction } from '#src/platform/page.ts';

export const ProjectConnection = connectionOf('Project', Project);

const Order = builder.enumType('ProjectOrder', {
  description: 'Ways to order projects.',
  values: {
    ID: { value: 'id', description: 'By numeric ID, which grows with each new project.' },
    NAME: { value: 'name', description: 'By display name, in alphabetical order.' },
    PATH: { value: 'path', description: 'By the last part of the path.' },
    CREATED_AT: { value: 'created_at', description: 'By time of creation.' },
    UPDATED_AT: { value: 'updated_at', description: 'By time of the last change.' },
    LAST_ACTIVITY_AT: { value: 'last_activity_at', description: 'By time of the latest event.' },
  } as const,
});

const ProjectFilter = builder.inputType('ProjectFilter', {
  description: 'Which projects a list has: those that match all fields.',
  fields: (t) => ({
    archived: t.boolean({ description: 'Only archived projects if true, only others if false.' }),
    ids: t.field({ ...idsOf('Project'), description: 'Only projects with these global or numeric IDs; at most 100.' }),
    fullPaths: t.stringList({ description: 'Only projects with these full paths, in any case; at most 100.' }),
    visibility: t.field({ type: Visibility, description: 'Only projects with this visibility.' }),
    search: t.string({
      description: 'Only projects with all of these words in path, name, description or name of the namespace.',
    }),
    searchNamespaces: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether `search` also looks for the words in the full path and in the names of the groups around.',
    }),
    owned: onlyField(t, 'projects in the personal namespace of the caller or in a group that the caller owns'),
    starred: onlyField(t, 'projects that the caller starred'),
    membership: onlyField(t, 'projects in which the caller has an access level'),
    minAccessLevel: t.field({
      type: AccessLevel,
      description: 'Only projects in which the caller has this access level or a higher one.',
    }),
    idAfter: t.int({ description: 'Only projects whose numeric ID is greater than this.' }),
    idBefore: t.int({ description: 'Only projects whose numeric ID is smaller than this.' }),
    lastActivityAfter: t.field({
      type: 'DateTime',
      description: 'Only projects whose latest event was at this time or later.',
    }),
    lastActivityBefore: t.field({
      type: 'DateTime',
      description: 'Only projects whose latest event was at this time or earlier.',
    }),
    updatedAfter: t.field({
      type: 'DateTime',
      description: 'Only projects whose record was changed at this time or later; only when sorted by UPDATED_AT.',
    }),
    updatedBefore: t.field({
      type: 'DateTime',
      description:
        'Only projects whose record was last changed at this time or earlier; only when sorted by UPDATED_AT.',
    }),
    active: t.boolean({
      description:
        'Only projects that are not archived if true, only archived ones if false. Takes precedence over `archived`.',
    }),
    imported: onlyField(t, 'projects that the caller created by an import'),
    topics: t.stringList({ description: 'Only projects that have all of these topics (`tagList`), in any case.' }),
    topicId: t.field({ ...idOf('Topic'), description: 'Only projects with the topic of this global or numeric ID.' }),
    withProgrammingLanguage: t.string({
      description:
        'Only projects whose default branch has files in this programming language, and whose files the caller can read.',
    }),
    withIssuesEnabled: onlyField(t, 'projects in which issues are enabled'),
    withMergeRequestsEnabled: onlyField(t, 'projects whose merge requests are enabled and readable by the caller'),
    customAttributes: t.field({
      type: 'JSON',
      description:
        'Only projects with all of these custom attributes: an object of values by their keys, at most 20; ignored unless the caller is an administrator.',
    }),
  }),
});

/** The arguments of every list of projects. */
export const projectArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: ProjectFilter, description: 'Which projects to list; all if left out.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What to sort the projects by.',
  }),
  sort: sortField(t, 'desc'),
}));

/** The projects and order requested by the arguments. */
export function projectList({ filter, orderBy, sort }: ListArgs): ProjectList {
  return { filter: filter ?? {}, order: { by: orderBy, direction: sort } };
}

interface ListArgs {
  filter?: ProjectList['filter'] | null | undefined;
  orderBy: ProjectOrder['by'];
  sort: Direction;
}
