import { membershipsAt } from '#src/access/permissions/visibility.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

/** The ancestors of a project, and which of the waiting users have access to it as members. */
export interface ProjectAncestry {
  id: number;
  /** IDs of the enclosing namespaces. */
  lineage: number[];
  members: number[];
}

/** The ancestry of projects by ID, and the time of the database, from which subscriptions to states resume. */
export async function placesOf(
  db: Db,
  projectIds: readonly number[],
  users: readonly number[],
): Promise<{ places: Map<number, ProjectAncestry>; now: string }> {
  const { sql } = Prisma;
  const condition = sql`m.user_id = ANY(${[...users]}::int[])`;
  const rows = await db.$queryRaw<(ProjectAncestry & { now: Date })[]>`
    SELECT p.id, n.lineage, now() AS now, ARRAY(
      SELECT m.user_id FROM (${membershipsAt(sql`p.id`, sql`n.lineage`, { condition })}) m
      UNION SELECT n.owner_id WHERE n.owner_id = ANY(${[...users]}::int[])) AS members
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ANY(${[...projectIds]}::int[])`;
  const now = rows[0]?.now ?? new Date();
  return { places: new Map(rows.map((row) => [row.id, row])), now: now.toISOString() };
}
