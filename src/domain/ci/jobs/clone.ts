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
      description, target_url, options, tags, environment, environment_url, environment_action, on_stop, needs, interruptible, bridge, resource_group, queued_at)
    SELECT project_id, pipeline_id, generic, name, stage, stage_index, ${status}::job_status, allow_failure, "when",
      CASE WHEN generic THEN user_id ELSE ${userId} END, description, target_url, options, tags, environment, environment_url,
      environment_action, on_stop, needs, interruptible, bridge, resource_group, CASE WHEN ${status} = 'pending' THEN now() END
    FROM wanted ORDER BY id RETURNING id`;
  return made.map(({ id }) => id);
}

/**
 * Resets skipped jobs of later stages, and those that need other jobs, to wait for their turn again; the user who retries the failure
 * before them becomes their starter. The pipeline is locked.
 */
export async function reviveSkipped(
  tx: Transaction,
  { pipelineId, behind, userId }: { pipelineId: number; behind: number; userId: number },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE jobs SET status = 'created', user_id = CASE WHEN generic THEN user_id ELSE ${userId} END, updated_at = now()
    WHERE pipeline_id = ${pipelineId} AND (stage_index > ${behind} OR (stage_index = ${behind} AND needs IS NOT NULL))
      AND status = 'skipped' AND NOT retried`;
}

/** Resets the skipped jobs that need a manual job which is played. The pipeline is locked. */
export async function reviveNeeding(
  tx: Transaction,
  { pipelineId, userId, name }: { pipelineId: number; userId: number; name: string },
): Promise<void> {
  await tx.$executeRaw`
    WITH RECURSIVE needing AS (
      SELECT id, name FROM jobs WHERE pipeline_id = ${pipelineId} AND ${name} = ANY(needs) AND status = 'skipped' AND NOT retried
      UNION SELECT j.id, j.name FROM jobs j JOIN needing n ON n.name = ANY(j.needs)
        WHERE j.pipeline_id = ${pipelineId} AND j.status = 'skipped' AND NOT j.retried)
    UPDATE jobs SET status = 'created', user_id = ${userId}, updated_at = now() WHERE id IN (SELECT id FROM needing)`;
}
