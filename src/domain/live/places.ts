import { membershipsAt } from '#src/access/permissions/visibility.ts';
import { type Change, isDeletedProject, reachesProjects } from '#src/domain/live/change.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

/** The ancestors of a project or group, and which of the waiting users have access to it as members. */
export interface Ancestry {
  /** IDs of the enclosing namespaces. */
  lineage: number[];
  members: number[];
  /** Of the projects that are waited for, those that use the labels of the group. */
  projects: number[];
}

/** Those for whom somebody waits. */
export interface Waiting {
  users: readonly number[];
  projects: readonly number[];
}

/** Names the place that a change belongs to; null for what concerns a user alone. */
export function placeOf(change: Change): string | null {
  const { projectId, namespaceId, userId } = change;
  if (userId !== undefined) return null;
  if (projectId !== 0) return `project ${projectId}`;
  return isDeletedProject(change) ? `deleted ${change.id}` : `group ${namespaceId} ${reachesProjects(change)}`;
}

/** The ancestry of the places of changes by name, and the time of the database, from which subscriptions to states resume. */
export async function placesOf(
  db: Db,
  changes: readonly Change[],
  { users, projects }: Waiting,
): Promise<{ places: Map<string, Ancestry>; now: string }> {
  const { sql } = Prisma;
  const wanted = new Map<string, object>();
  for (const change of changes) {
    const name = placeOf(change);
    if (name === null) continue;
    const project = change.projectId || (isDeletedProject(change) ? change.id : null);
    wanted.set(name, { name, project, namespace: change.namespaceId ?? null, inside: reachesProjects(change) });
  }
  const condition = sql`m.user_id = ANY(${[...users]}::int[])`;
  const rows = await db.$queryRaw<(Ancestry & { name: string | null; now: Date })[]>`
    SELECT w.name, n.lineage, t.now, CASE WHEN w.name IS NULL THEN '{}'::int[] ELSE ARRAY(
      SELECT m.user_id FROM (${membershipsAt(sql`w.project`, sql`n.lineage`, { condition })}) m
      UNION SELECT n.owner_id WHERE n.owner_id = ANY(${[...users]}::int[])) END AS members,
      CASE WHEN w.inside THEN ARRAY(SELECT ip.id FROM projects ip JOIN namespaces pn ON pn.id = ip.namespace_id
        WHERE ip.id = ANY(${[...projects]}::int[]) AND pn.lineage @> ARRAY[w.namespace]) ELSE '{}'::int[] END AS projects
    FROM (SELECT now() AS now) t LEFT JOIN (
      json_to_recordset(${JSON.stringify([...wanted.values()])}::json) AS w (name text, project int, namespace int, inside boolean)
      LEFT JOIN projects p ON p.id = w.project JOIN namespaces n ON n.id = COALESCE(w.namespace, p.namespace_id)) ON TRUE`;
  const now = rows[0]?.now ?? new Date();
  return {
    places: new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, row]]))),
    now: now.toISOString(),
  };
}
