import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import type { Db } from '#src/platform/database/db.ts';

export interface PayloadDependency {
  id: number;
  name: string;
  /** Token for downloading the artifacts. */
  token: string;
  artifacts_file: { filename: string; size: number };
}

/**
 * The jobs whose artifacts the job gets: those that it lists or needs, or all of earlier stages. Their own tokens are no longer valid:
 * that of the job itself gives access to their artifacts.
 */
export async function payloadDependencies(db: Db, job: PayloadJob, token: string): Promise<PayloadDependency[]> {
  const names = namesOf(job);
  const { crossJobs = [] } = job;
  if (names?.length === 0 && crossJobs.length === 0) return [];
  const rows = await db.$queryRaw<{ id: number; name: string; filename: string; size: number | null }[]>`
    SELECT id, name, artifacts_filename AS filename, artifacts_size::float8 AS size FROM jobs
    WHERE NOT generic AND NOT retried AND artifacts_filename IS NOT NULL AND (id = ANY(${crossJobs}::int[]) OR (pipeline_id = ${job.pipelineId}
      AND CASE WHEN ${names === null} THEN stage_index < ${job.stageIndex} ELSE name = ANY(${names ?? []}::text[]) END))
    ORDER BY stage_index, id`;
  return rows.map(({ id, name, filename, size }) => ({
    id,
    name,
    token,
    artifacts_file: { filename, size: size ?? 0 },
  }));
}

/** The variables that those jobs left in their `dotenv` reports; of several with one name the latest job's counts. */
export async function dotenvVariables(db: Db, job: PayloadJob): Promise<Variables> {
  const names = namesOf(job);
  const { crossJobs = [] } = job;
  if (names?.length === 0 && crossJobs.length === 0) return {};
  const rows = await db.$queryRaw<{ variables: Variables }[]>`
    SELECT r.variables FROM jobs j JOIN job_reports r ON r.job_id = j.id
    WHERE NOT j.generic AND NOT j.retried AND r.type = 'dotenv' AND r.variables IS NOT NULL
      AND (j.id = ANY(${crossJobs}::int[]) OR (j.pipeline_id = ${job.pipelineId}
      AND CASE WHEN ${names === null} THEN j.stage_index < ${job.stageIndex} ELSE j.name = ANY(${names ?? []}::text[]) END))
    ORDER BY j.pipeline_id = ${job.pipelineId}, j.stage_index, j.id`;
  return Object.assign({}, ...rows.map(({ variables }) => variables));
}

/** The names of the jobs; null for all of earlier stages. */
function namesOf({ options: { dependencies } }: PayloadJob): string[] | null {
  return Array.isArray(dependencies) ? dependencies.map(String) : null;
}
