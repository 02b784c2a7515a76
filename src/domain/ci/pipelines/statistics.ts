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

/** How the jobs of a name ended, and how long they took. */
export interface JobStatistics {
  name: string;
  totalCount: number;
  failedCount: number;
  /** Of those that succeeded or failed, in seconds; null without any. */
  medianDuration: number | null;
  /** All of them together, in seconds. */
  totalDuration: number;
}

/** The latest pipelines that are looked at, and names of jobs that are told of: those that took most time. */
const JOB_LIMITS = { pipelines: 1_000, names: 50 };

/**
 * The jobs of the pipelines of each project in the last days, weeks or months, by their names, those first that took most time; in one
 * statement. Jobs that were retried count each time. Errors as of `pipelineStatistics`.
 */
export function jobStatistics(
  context: Context,
  projects: readonly ProjectRow[],
  interval: Interval,
): Promise<(JobStatistics[] | Error)[]> {
  return forPermittedParents(
    projects,
    (project) => authorize(readerOf(context), 'read_pipeline', project),
    async (permitted) => {
      const ids = [...new Set(permitted.map(({ id }) => id))];
      const days = { day: 30, week: 91, month: 365 }[interval];
      const rows = await context.db.$queryRaw<(JobStatistics & { projectId: number })[]>`
        SELECT project.id AS "projectId", found.* FROM unnest(${ids}::int[]) AS project(id) CROSS JOIN LATERAL (
          SELECT j.name, count(*)::int AS "totalCount", (count(*) FILTER (WHERE j.status = 'failed'))::int AS "failedCount",
            percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM j.finished_at - j.started_at))
              FILTER (WHERE j.status IN ('success', 'failed')) AS "medianDuration",
            coalesce(sum(extract(epoch FROM j.finished_at - j.started_at)), 0)::float AS "totalDuration"
          FROM (SELECT p.id FROM pipelines p WHERE p.project_id = project.id AND p.created_at >= now() - make_interval(days => ${days}::int)
            ORDER BY p.id DESC LIMIT ${JOB_LIMITS.pipelines}) AS latest
          JOIN jobs j ON j.pipeline_id = latest.id
          WHERE NOT j.bridge AND j.finished_at IS NOT NULL AND j.started_at IS NOT NULL
          GROUP BY j.name ORDER BY "totalDuration" DESC, j.name LIMIT ${JOB_LIMITS.names}) AS found`;
      return permitted.map(({ id }) => rows.filter(({ projectId }) => projectId === id));
    },
  );
}
