import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { Visibility } from '#schema/enums.ts';
import { onlyField, sortField } from '#schema/inputs.ts';
import { Project } from '#schema/projects/types.ts';
import type { Direction } from '#src/platform/page.ts';
import type { ProjectFilter, ProjectList, ProjectOrder } from '#src/projects/list.ts';

export const ProjectConnection = connectionOf('Project', Project);

const Order = builder.enumType('ProjectOrder', {
  description: 'What projects are ordered by.',
  values: {
    ID: { value: 'id', description: 'Their numeric ID, which grows with each new project.' },
    NAME: { value: 'name', description: 'Their display name, letter by letter.' },
    PATH: { value: 'path', description: 'The last part of their full path, letter by letter.' },
    CREATED_AT: { value: 'created_at', description: 'When they were created.' },
    UPDATED_AT: { value: 'updated_at', description: 'When they last changed.' },
    LAST_ACTIVITY_AT: { value: 'last_activity_at', description: 'When the latest event in them happened.' },
  } as const,
});

/** The arguments of every list of projects. */
export const projectArgs = builder.args((t) => ({
  ...pageArgs,
  archived: t.boolean({ description: 'Only archived projects when true, only others when false; both when left out.' }),
  visibility: t.field({ type: Visibility, description: 'Only projects of just this visibility.' }),
  search: t.string({
    description: 'Only projects with this text in path, name, description or name of the namespace.',
  }),
  owned: onlyField(t, 'projects in the personal namespace of the caller or in a group that the caller owns'),
  starred: onlyField(t, 'projects that the caller starred'),
  membership: onlyField(t, 'projects in which the caller has an access level'),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What the projects are ordered by.',
  }),
  sort: sortField(t, 'desc'),
}));

/** What the arguments say: which projects, in which order. */
export function projectList({
  orderBy,
  sort,
  ...filter
}: ProjectFilter & { orderBy: ProjectOrder['by']; sort: Direction }): ProjectList {
  return { filter, order: { by: orderBy, direction: sort } };
}
