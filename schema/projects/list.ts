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
    ID: { value: 'id', description: 'Their numeric ID.' },
    NAME: { value: 'name', description: 'Their name.' },
    PATH: { value: 'path', description: 'Their own part of addresses.' },
    CREATED_AT: { value: 'created_at', description: 'When they were created.' },
    UPDATED_AT: { value: 'updated_at', description: 'When they last changed.' },
    LAST_ACTIVITY_AT: { value: 'last_activity_at', description: 'When something last happened in them.' },
  } as const,
});

/** The arguments of every list of projects. */
export const projectArgs = builder.args((t) => ({
  ...pageArgs,
  archived: t.boolean({ description: 'Only archived ones, or only others; both when nothing is said.' }),
  visibility: t.field({ type: Visibility, description: 'Only those that are seen by just these.' }),
  search: t.string({ description: 'Only those with this text in path, name, description or name of the namespace.' }),
  owned: t.boolean({ description: 'Only those in the personal namespace of the caller or a group that they own.' }),
  starred: t.boolean({ description: 'Only those that the caller starred.' }),
  membership: t.boolean({ description: 'Only those in which the caller has an access level.' }),
  orderBy: t.field({ type: ProjectOrderBy, description: 'What they are ordered by; CREATED_AT when nothing is said.' }),
  sort: t.field({ type: SortDirection, description: 'Which end comes first; DESC when nothing is said.' }),
}));

/** What the arguments say: which projects, in which order. */
export function projectList({
  orderBy,
  sort,
  ...filter
}: ProjectFilter & { orderBy?: ProjectOrder['by'] | null; sort?: Direction | null }): ProjectList {
  return { filter, order: { by: orderBy ?? 'created_at', direction: sort ?? 'desc' } };
}
