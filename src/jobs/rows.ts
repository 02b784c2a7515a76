import { type PipelineRow, pipelineJson } from '#src/pipelines/rows.ts';
import type { JobStatus } from '#src/pipelines/status.ts';
import { Prisma } from '#src/platform/db.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** A job of a pipeline, or a posted commit status (`generic`). Times are ISO 8601. */
export interface JobRow {
  id: number;
  projectId: number;
  generic: boolean;
  name: string;
  stage: string;
  status: JobStatus;
  /** Whether another job of that name in the pipeline came after it. */
  retried: boolean;
  allowFailure: boolean;
  when: string;
  description: string | null;
  targetUrl: string | null;
  /** In percent. */
  coverage: number | null;
  /** Name of the environment to which it deploys. */
  environment: string | null;
  /** Number of whoever runs it. */
  runnerId: number | null;
  artifacts: { filename: string; size: number } | null;
  createdAt: string;
  queuedAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  erasedAt: string | null;
  /** Who started it, or posted it. */
  user: UserRow;
  pipeline: PipelineRow;
}

/** A JobRow as JSON from the rows under the aliases `j` (job), `ju` (its user), `p` (pipeline) and `pu` (its user). */
export const JOB_JSON = sql`json_build_object('id', j.id, 'projectId', j.project_id, 'generic', j.generic, 'name', j.name,
    'stage', j.stage, 'status', j.status, 'retried', j.retried, 'allowFailure', j.allow_failure, 'when', j."when",
    'description', j.description, 'targetUrl', j.target_url, 'coverage', j.coverage, 'environment', j.environment,
    'runnerId', j.runner_id, 'artifacts', CASE WHEN j.artifacts_filename IS NULL THEN NULL
      ELSE json_build_object('filename', j.artifacts_filename, 'size', COALESCE(j.artifacts_size, 0)) END,
    'createdAt', j.created_at, 'queuedAt', j.queued_at, 'startedAt', j.started_at, 'finishedAt', j.finished_at,
    'erasedAt', j.erased_at, 'user', ${userJson('ju')}, 'pipeline', ${pipelineJson('p', 'pu')})`;

/** What leads from a job `j` to the other aliases of JOB_JSON. */
export const JOB_RELATIONS = sql`JOIN users ju ON ju.id = j.user_id JOIN pipelines p ON p.id = j.pipeline_id
    JOIN users pu ON pu.id = p.user_id`;

/** An expression for the JSON array of the jobs whose IDs the statement gives, in its order. */
export function jobRows(ids: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(${JOB_JSON} ORDER BY page.ord), '[]')
    FROM unnest(ARRAY(${ids})) WITH ORDINALITY AS page (id, ord) JOIN jobs j ON j.id = page.id ${JOB_RELATIONS})`;
}
