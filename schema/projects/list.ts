import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { Visibility } from '#schema/enums.ts';
import { onlyField, sortField } from '#schema/inputs.ts';
import { Project } from '#schema/projects/types.ts';
import type { Direction } from '#src/platform/page.ts';
import type { ProjectFilter, ProjectList, ProjectOrder } from '#src/projects/list.ts';

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

/** The arguments of every list of projects. */
export const projectArgs = builder.args((t) => ({
  ...pageArgs,
  archived: t.boolean({ description: 'Only archived projects if true, only others if false; both by default.' }),
  visibility: t.field({ type: Visibility, description: 'Only projects with this visibility.' }),
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
    description: 'What to sort the projects by.',
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
