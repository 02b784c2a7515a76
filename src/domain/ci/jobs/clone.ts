import type { Transaction } from '#src/platform/database/db.ts';

/**
 * Makes jobs of a pipeline again, as new ones that the user started, either to wait for their turn or queued at once; posted
 * statuses keep who posted them, who may go on with them. The IDs of the new ones. The pipeline is locked.
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
 * Has the skipped jobs of the stages behind one wait for their turn again: whoever retries what failed before them starts them,
 * too. The pipeline is locked.
 */
export async function reviveSkipped(
  tx: Transaction,
  { pipelineId, behind, userId }: { pipelineId: number; behind: number; userId: number },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE jobs SET status = 'created', user_id = CASE WHEN generic THEN user_id ELSE ${userId} END, updated_at = now()
    WHERE pipeline_id = ${pipelineId} AND stage_index > ${behind} AND status = 'skipped' AND NOT retried`;
}
