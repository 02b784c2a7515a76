import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How many days are counted, today included. */
export const COUNTED_DAYS = 30;

/** How often a project was fetched on a day. */
export interface DayOfFetches {
  /** `YYYY-MM-DD`, in UTC. */
  date: string;
  count: number;
}

/** Counts a fetch or clone of a project, of today; days that are counted no more go with it. */
export async function countFetch(db: Db, projectId: number): Promise<void> {
  await db.$executeRaw`
    WITH old AS (DELETE FROM project_fetches WHERE project_id = ${projectId}
      AND day <= (now() AT TIME ZONE 'UTC')::date - ${COUNTED_DAYS}::int)
    INSERT INTO project_fetches AS f (project_id, day, count)
      SELECT id, (now() AT TIME ZONE 'UTC')::date, 1 FROM projects WHERE id = ${projectId}
      ON CONFLICT (project_id, day) DO UPDATE SET count = f.count + 1`;
}

/** Throws Unauthenticated, and Forbidden for those who may not push to the project. */
export function requireFetchStatistics(context: Context, project: ProjectRow): void {
  authorize(requireActor(context), 'read_fetch_statistics', project);
}

/** The days of the last 30 on which each project was fetched, latest first, in one statement. Who may know has been checked. */
export async function fetchesOf({ db }: Context, projectIds: readonly number[]): Promise<DayOfFetches[][]> {
  const rows = await db.$queryRaw<(DayOfFetches & { projectId: number })[]>`
    SELECT project_id AS "projectId", to_char(day, 'YYYY-MM-DD') AS date, count FROM project_fetches
    WHERE project_id = ANY(${[...projectIds]}::int[]) AND day > (now() AT TIME ZONE 'UTC')::date - ${COUNTED_DAYS}::int
    ORDER BY day DESC`;
  return projectIds.map((id) =>
    rows.filter(({ projectId }) => projectId === id).map(({ date, count }) => ({ date, count })),
  );
}
