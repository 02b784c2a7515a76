import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { SortDirection, Visibility } from '#schema/enums.ts';
import { Project } from '#schema/projects/types.ts';
import type { Direction } from '#src/platform/page.ts';
import type { ProjectFilter, ProjectList, ProjectOrder } from '#src/projects/list.ts';

export const ProjectConnection = connectionOf('Project', Project);

const ProjectOrderBy = builder.enumType('ProjectOrderBy', {
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
  archived: t.boolean({ description: 'Whether to list only archived projects or only others; both by default.' }),
  visibility: t.field({ type: Visibility, description: 'Only projects with exactly this visibility.' }),
  search: t.string({
    description: 'Only projects with this text in path, name, description or name of the namespace, in any case.',
  }),
  owned: t.boolean({
    description:
      'Whether to list only projects in the personal namespace of the caller or in a group that the caller owns.',
  }),
  starred: t.boolean({ description: 'Whether to list only projects that the caller starred.' }),
  membership: t.boolean({ description: 'Whether to list only projects in which the caller has an access level.' }),
  orderBy: t.field({ type: ProjectOrderBy, description: 'What the projects are ordered by; CREATED_AT by default.' }),
  sort: t.field({ type: SortDirection, description: 'Which end of the order comes first; DESC by default.' }),
}));

/** What the arguments say: which projects, in which order. */
export function projectList({
  orderBy,
  sort,
  ...filter
}: ProjectFilter & { orderBy?: ProjectOrder['by'] | null; sort?: Direction | null }): ProjectList {
  return { filter, order: { by: orderBy ?? 'created_at', direction: sort ?? 'desc' } };
}
