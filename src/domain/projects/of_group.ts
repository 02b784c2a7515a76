import type { Context } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { listProjectsOf, type ProjectList } from '#src/domain/projects/list.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import type { Asked } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** Which projects of a group: those directly in it or in a subgroup, and those shared with it. */
export interface GroupProjects {
  own?: 'direct' | 'all';
  shared?: boolean;
}

/** The projects of each group that the actor can see, in one statement. */
export async function listGroupProjects<R>(
  context: Context,
  groups: readonly GroupRow[],
  which: GroupProjects,
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const parents = groups.map(({ id }) => ({ group: id }));
  const scope = scopeOf(which);
  return listProjectsOf(context, parents, { group: 'int' }, scope, list, page, selection);
}

/** The page of all projects of a group, newest first. */
export const ALL_PROJECTS = {
  page: { limit: 2_147_483_647, offset: 0, withTotal: false },
  list: { filter: {}, order: { by: 'created_at', direction: 'desc' } },
} as const satisfies { page: PageRequest; list: ProjectList };

type Scope = (project: Alias<'Project'>, parent: Asked<{ group: number }>) => Prisma.Sql[];

function scopeOf({ own, shared = false }: GroupProjects): Scope {
  return ({ id, namespaceId }, { group }) => {
    const ways = [
      ...(own === 'direct' ? [sql`${namespaceId} = ${group}`] : []),
      ...(own === 'all'
        ? [sql`${namespaceId} IN (SELECT gn.id FROM namespaces gn WHERE gn.lineage @> ARRAY[${group}]::int[])`]
        : []),
      ...(shared
        ? [sql`${id} IN (SELECT s.project_id FROM project_shares s WHERE s.group_id = ${group} AND ${notExpired('s')})`]
        : []),
    ];
    return [sql`(${Prisma.join(ways, ' OR ')})`];
  };
}
