import type { Transaction } from '#src/platform/database/db.ts';

/**
 * Creates copies of a pipeline's jobs, started by the user, either waiting for their stage or queued immediately; posted statuses
 * keep their author, who may update them. Returns the new IDs. The pipeline is locked.
 */
export async function cloneJobs(
  tx: Transaction,
  ids: readonly number[],
  userId: number,
  status: 'created' | 'pending',
): Promise<number[]> {
  const made = await tx.$queryRaw<{ id: number }[]>`
    WITH wanted AS (SELECT * FROM jobs WHERE id = ANY(${[...ids]}::int[])),
    before AS (UPDATE jobs SET retried = true, updated_at = now() FROM wanted
      WHERE jobs.pipeline_id = wanted.pipeline_id AND jobs.name = wanted.name AND NOT jobs.retried)
    INSERT INTO jobs (project_id, pipeline_id, generic, name, stage, stage_index, status, allow_failure, "when", user_id,
      description, target_url, options, tags, environment, environment_url, environment_action, on_stop, queued_at)
    SELECT project_id, pipeline_id, generic, name, stage, stage_index, ${status}::job_status, allow_failure, "when",
      CASE WHEN generic THEN user_id ELSE ${userId} END, description, target_url, options, tags, environment, environment_url,
      environment_action, on_stop, CASE WHEN ${status} = 'pending' THEN now() END
    FROM wanted ORDER BY id RETURNING id`;
  return made.map(({ id }) => id);
}

/**
 * Resets skipped jobs of later stages to wait for their turn again; the user who retries the failure before them becomes their
 * starter. The pipeline is locked.
 */
export async function reviveSkipped(
  tx: Transaction,
  { pipelineId, behind, userId }: { pipelineId: number; behind: number; userId: number },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE jobs SET status = 'created', user_id = CASE WHEN generic THEN user_id ELSE ${userId} END, updated_at = now()
    WHERE pipeline_id = ${pipelineId} AND stage_index > ${behind} AND status = 'skipped' AND NOT retried`;
}
