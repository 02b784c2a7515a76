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
  const { dependencies } = job.options;
  const names = Array.isArray(dependencies) ? dependencies.map(String) : null;
  if (names?.length === 0) return [];
  const rows = await db.$queryRaw<{ id: number; name: string; filename: string; size: number | null }[]>`
    SELECT id, name, artifacts_filename AS filename, artifacts_size::float8 AS size FROM jobs
    WHERE pipeline_id = ${job.pipelineId} AND NOT generic AND NOT retried AND artifacts_filename IS NOT NULL
      AND CASE WHEN ${names === null} THEN stage_index < ${job.stageIndex} ELSE name = ANY(${names ?? []}::text[]) END
    ORDER BY stage_index, id`;
  return rows.map(({ id, name, filename, size }) => ({
    id,
    name,
    token,
    artifacts_file: { filename, size: size ?? 0 },
  }));
}
