import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How many pipelines may lie above each other. */
const MAX_UPSTREAM_PIPELINES = 20;

interface CrossNeed {
  /** Its ID. */
  pipeline: string;
  job: string;
}

/**
 * The successful jobs of its parent pipeline and of other children of that, at any level, of which a job needs the artifacts
 * (`needs:pipeline:job`); null if one of them is missing. From then on the job's token gives access to them.
 */
export async function resolveCrossNeeds(db: Db, job: PayloadJob): Promise<number[] | null> {
  const { cross_needs: needs = [] } = job.options as { cross_needs?: CrossNeed[] };
  if (needs.length === 0) return [];
  const ids = needs.map(({ pipeline }) => (/^\d{1,9}$/.test(pipeline) ? Number(pipeline) : 0));
  const found = await db.$queryRaw<{ id: number; name: string; pipelineId: number }[]>`
    WITH RECURSIVE above AS (
      SELECT p.id AS start, p.id, p.source, p.source_job_id, 1 AS level FROM pipelines p
      WHERE p.id = ANY(${[...ids, job.pipelineId]}::int[]) AND p.project_id = ${job.projectId}
      UNION ALL SELECT above.start, p.id, p.source, p.source_job_id, above.level + 1 FROM above
        JOIN jobs j ON j.id = above.source_job_id JOIN pipelines p ON p.id = j.pipeline_id
        WHERE above.source = 'parent_pipeline' AND above.level <= ${MAX_UPSTREAM_PIPELINES}),
    tops AS (SELECT start, id FROM above WHERE source <> 'parent_pipeline')
    SELECT j.id, j.name, j.pipeline_id AS "pipelineId" FROM jobs j JOIN tops t ON t.start = j.pipeline_id
      JOIN tops own ON own.id = t.id AND own.start = ${job.pipelineId}
    WHERE j.pipeline_id <> ${job.pipelineId} AND j.name = ANY(${needs.map((need) => need.job)}::text[])
      AND j.status = 'success' AND NOT j.retried AND NOT j.generic`;
  const resolved = needs.map((need, index) =>
    found.find(({ name, pipelineId }) => name === need.job && pipelineId === ids[index]),
  );
  const jobs = resolved.flatMap((one) => one?.id ?? []);
  if (jobs.length < needs.length) return null;
  await db.$executeRaw`
    UPDATE jobs SET options = jsonb_set(options, '{cross_jobs}', ${JSON.stringify(jobs)}::jsonb) WHERE id = ${job.id}`;
  return jobs;
}
