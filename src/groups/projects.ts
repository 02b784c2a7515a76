import type { Context } from '#src/access/actor.ts';
import { live } from '#src/access/visibility.ts';
import type { GroupRow } from '#src/groups/find.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { listProjects, type ProjectFilter, type ProjectOrder } from '#src/projects/list.ts';

const { sql } = Prisma;

/** Which projects of a group: those directly in it, or those that share it in. */
export type GroupProjects = 'own' | 'shared';

/** The projects of a group that the actor sees; those of its subgroups are not among them. */
export async function listGroupProjects(
  context: Context,
  group: GroupRow,
  which: GroupProjects,
  filter: ProjectFilter,
  order: ProjectOrder,
  page: PageRequest,
): Promise<Page<ProjectRow>> {
  return listProjects(context, filter, order, page, [SCOPES[which](group.id)]);
}

/** As listGroupProjects, but all of them, newest first. */
export async function allGroupProjects(context: Context, group: GroupRow, which: GroupProjects): Promise<ProjectRow[]> {
  const everything = { limit: EVERYTHING, offset: 0, withTotal: false };
  const order: ProjectOrder = { by: 'created_at', direction: 'desc' };
  return (await listGroupProjects(context, group, which, {}, order, everything)).nodes;
}

const EVERYTHING = 2_147_483_647;

const SCOPES: Record<GroupProjects, (id: number) => Prisma.Sql> = {
  own: (id) => sql`p.namespace_id = ${id}`,
  shared: (id) => sql`p.id IN (SELECT s.project_id FROM project_shares s WHERE s.group_id = ${id} AND ${live('s')})`,
};
