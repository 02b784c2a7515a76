import { CANCELABLE, type JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { endDeployments } from '#src/domain/ci/deployments/record.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/**
 * Cancels the jobs that match a condition, as far as they can be. A job that runs is `canceling` until its runner has ended it, if the
 * runner has said that it does so; any other is over at once. Their pipelines are locked, and the caller settles them.
 *
 * @returns what became of each
 */
export async function cancelJobs(tx: Transaction, where: Prisma.Sql): Promise<{ id: number; status: JobStatus }[]> {
  const isEnding = sql`(status = 'running' AND cancels_gracefully)`;
  const canceled = await tx.$queryRaw<{ id: number; status: JobStatus }[]>`
    UPDATE jobs SET status = CASE WHEN ${isEnding} THEN 'canceling'::job_status ELSE 'canceled'::job_status END,
      finished_at = CASE WHEN ${isEnding} THEN NULL ELSE now() END, scheduled_at = NULL, updated_at = now()
    WHERE ${where} AND status = ANY(${[...CANCELABLE]}::job_status[]) RETURNING id, status::text AS status`;
  const over = canceled.filter(({ status }) => status === 'canceled');
  await endDeployments(
    tx,
    over.map(({ id }) => id),
    'canceled',
  );
  return canceled;
}
