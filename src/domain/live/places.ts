import { notExpired } from '#src/access/permissions/visibility.ts';
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
  const among = Prisma.sql`m.user_id = ANY(${[...users]}::int[]) AND ${notExpired('m')}`;
  const rows = await db.$queryRaw<(ProjectAncestry & { now: Date })[]>`
    SELECT p.id, n.lineage, now() AS now, ARRAY(
      SELECT m.user_id FROM members m WHERE m.project_id = p.id AND ${among}
      UNION SELECT m.user_id FROM members m WHERE m.namespace_id = ANY(n.lineage) AND ${among}
      UNION SELECT n.owner_id WHERE n.owner_id = ANY(${[...users]}::int[])
      UNION SELECT m.user_id FROM project_shares s JOIN namespaces g ON g.id = s.group_id
        JOIN members m ON m.namespace_id = ANY(g.lineage) AND ${among}
        WHERE s.project_id = p.id AND ${notExpired('s')}) AS members
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ANY(${[...projectIds]}::int[])`;
  const now = rows[0]?.now ?? new Date();
  return { places: new Map(rows.map((row) => [row.id, row])), now: now.toISOString() };
}
