import type { Context } from '#src/access/actor.ts';
import { live } from '#src/access/visibility.ts';
import type { GroupRow } from '#src/groups/find.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import type { Asked } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { listProjectsOf, type ProjectList } from '#src/projects/list.ts';

const { sql } = Prisma;

/** Which projects of a group: those directly in it, or those that share it in. */
export type GroupProjects = 'own' | 'shared';

/** The projects of each group that the actor sees, in one statement; those of subgroups are not among them. */
export async function listGroupProjects<R>(
  context: Context,
  groups: readonly GroupRow[],
  which: GroupProjects,
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const parents = groups.map(({ id }) => ({ group: id }));
  const scope = SCOPES[which];
  return listProjectsOf(context, parents, { group: 'int' }, scope, list, page, selection);
}

/** The page that holds all projects of a group, newest first. */
export const ALL_PROJECTS = {
  page: { limit: 2_147_483_647, offset: 0, withTotal: false },
  list: { filter: {}, order: { by: 'created_at', direction: 'desc' } },
} as const satisfies { page: PageRequest; list: ProjectList };

type Scope = (project: Alias<'Project'>, parent: Asked<{ group: number }>) => Prisma.Sql[];

const SCOPES: Record<GroupProjects, Scope> = {
  own: ({ namespaceId }, { group }) => [sql`${namespaceId} = ${group}`],
  shared: ({ id }, { group }) => [
    sql`${id} IN (SELECT s.project_id FROM project_shares s WHERE s.group_id = ${group} AND ${live('s')})`,
  ],
};
