import type { Context } from '#src/access/actor.ts';
import { live } from '#src/access/visibility.ts';
import type { GroupRow } from '#src/groups/find.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { listProjects, type ProjectFilter, type ProjectOrder } from '#src/projects/list.ts';

const { sql } = Prisma;

/** Which projects of a group: those directly in it, or those that share it in. */
export type GroupProjects = 'own' | 'shared';

/** The projects of a group that the actor sees; those of its subgroups are not among them. */
export async function listGroupProjects<R>(
  context: Context,
  group: GroupRow,
  which: GroupProjects,
  filter: ProjectFilter,
  order: ProjectOrder,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>> {
  return listProjects(context, filter, order, page, selection, (project) => [SCOPES[which](project, group.id)]);
}

/** As listGroupProjects, but all of them, newest first. */
export async function allGroupProjects<R>(
  context: Context,
  group: GroupRow,
  which: GroupProjects,
  selection: Selection<'Project', R>,
): Promise<R[]> {
  const everything = { limit: EVERYTHING, offset: 0, withTotal: false };
  const order: ProjectOrder = { by: 'created_at', direction: 'desc' };
  return (await listGroupProjects(context, group, which, {}, order, everything, selection)).nodes;
}

const EVERYTHING = 2_147_483_647;

const SCOPES: Record<GroupProjects, (project: Alias<'Project'>, id: number) => Prisma.Sql> = {
  own: ({ namespaceId }, id) => sql`${namespaceId} = ${id}`,
  shared: (project, id) =>
    sql`${project.id} IN (SELECT s.project_id FROM project_shares s WHERE s.group_id = ${id} AND ${live('s')})`,
};
