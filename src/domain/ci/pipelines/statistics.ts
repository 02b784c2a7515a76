import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';

/** How the pipelines ended that were created in a span of time. */
export interface PipelineStatistics {
  /** When the span begins, in UTC: at midnight, for weeks on Monday. */
  from: Date;
  totalCount: number;
  successCount: number;
  failedCount: number;
  /** Median of the pipelines that have finished, in seconds; null without any. */
  medianDuration: number | null;
}

/** The spans, and how many of them are counted: some weeks of days, a quarter of weeks, a year of months. */
export const INTERVALS = { day: 30, week: 13, month: 12 } as const;
export type Interval = keyof typeof INTERVALS;

/**
 * The last days, weeks or months of the pipelines of each project, oldest first, without child pipelines; in one statement. For
 * projects whose pipelines the actor may not read Forbidden or Unauthenticated.
 */
export function pipelineStatistics(
  context: Context,
  projects: readonly ProjectRow[],
  interval: Interval,
): Promise<(PipelineStatistics[] | Error)[]> {
  return forPermittedParents(
    projects,
    (project) => authorize(readerOf(context), 'read_pipeline', project),
    async (permitted) => {
      const counted = await count(context.db, [...new Set(permitted.map(({ id }) => id))], interval);
      return permitted.map(({ id }) => counted.filter(({ projectId }) => projectId === id));
    },
  );
}

function count(
  db: Db,
  projectIds: number[],
  interval: Interval,
): Promise<(PipelineStatistics & { projectId: number })[]> {
  const before = INTERVALS[interval] - 1;
  return db.$queryRaw`
    WITH span AS (SELECT generate_series(
        date_trunc(${interval}, now() AT TIME ZONE 'UTC') - make_interval(
          days => CASE ${interval} WHEN 'day' THEN ${before}::int WHEN 'week' THEN 7 * ${before}::int ELSE 0 END,
          months => CASE ${interval} WHEN 'month' THEN ${before}::int ELSE 0 END),
        date_trunc(${interval}, now() AT TIME ZONE 'UTC'), ('1 ' || ${interval})::interval) AS start),
    project AS (SELECT unnest(${projectIds}::int[]) AS id),
    made AS (SELECT p.project_id, date_trunc(${interval}, p.created_at AT TIME ZONE 'UTC') AS start, p.status, p.duration
      FROM pipelines p WHERE p.project_id = ANY(${projectIds}::int[]) AND p.source <> 'parent_pipeline'
        AND p.created_at >= (SELECT min(start) FROM span) AT TIME ZONE 'UTC')
    SELECT project.id AS "projectId", span.start AT TIME ZONE 'UTC' AS "from", count(made.status)::int AS "totalCount",
      (count(*) FILTER (WHERE made.status = 'success'))::int AS "successCount",
      (count(*) FILTER (WHERE made.status = 'failed'))::int AS "failedCount",
      percentile_cont(0.5) WITHIN GROUP (ORDER BY made.duration) FILTER (WHERE made.status IN ('success', 'failed')) AS "medianDuration"
    FROM project CROSS JOIN span LEFT JOIN made ON made.project_id = project.id AND made.start = span.start
    GROUP BY project.id, span.start ORDER BY project.id, span.start`;
}
