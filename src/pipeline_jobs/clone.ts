import type { Transaction } from '#src/db.ts';

/**
 * Queues jobs of a pipeline again, as new ones that the user started; posted statuses keep who posted them, who may go on
 * with them. The IDs of the new ones. The pipeline is locked.
 */
export async function cloneJobs(tx: Transaction, ids: readonly number[], userId: number): Promise<number[]> {
  const made = await tx.$queryRaw<{ id: number }[]>`
    WITH wanted AS (SELECT * FROM jobs WHERE id = ANY(${[...ids]}::int[])),
    before AS (UPDATE jobs SET retried = true, updated_at = now() FROM wanted
      WHERE jobs.pipeline_id = wanted.pipeline_id AND jobs.name = wanted.name AND NOT jobs.retried)
    INSERT INTO jobs (project_id, pipeline_id, generic, name, stage, stage_index, status, allow_failure, "when", user_id,
      description, target_url, options, environment, environment_url, environment_action, on_stop, queued_at)
    SELECT project_id, pipeline_id, generic, name, stage, stage_index, 'pending', allow_failure, "when",
      CASE WHEN generic THEN user_id ELSE ${userId} END, description, target_url, options, environment, environment_url,
      environment_action, on_stop, now()
    FROM wanted ORDER BY id RETURNING id`;
  return made.map(({ id }) => id);
}
