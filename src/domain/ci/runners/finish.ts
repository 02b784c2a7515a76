import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { afterFailure } from '#src/domain/ci/jobs/after_failure.ts';
import type { FailureReason } from '#src/domain/ci/jobs/failure_reason.ts';
import { moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** How a job ended. */
export type JobEnd =
  | { state: 'success'; coverage: number | null }
  | { state: 'failed'; coverage: number | null; reason: FailureReason; exitCode?: number | null };

/**
 * Ends a running job and settles its pipeline; one that was canceled meanwhile is `canceled`, however it ended. `only` is a condition on the row `j` that must still hold.
 *
 * @returns the status of the job from then on; another than requested if it had ended before
 * @throws NotFound if the job is gone
 */
export function endRunningJob(
  stores: ChangeContext,
  job: { id: number; pipelineId: number },
  end: JobEnd,
  only: Prisma.Sql = sql`TRUE`,
): Promise<JobStatus> {
  return stores.db.$transaction(async (tx) => {
    await lockPipeline(tx, job.pipelineId);
    const { status, hasSite } = await statusOf(tx, job.id, only);
    if (status !== 'running' && status !== 'canceling') return status;
    const state = status === 'canceling' ? 'canceled' : end.state;
    await moveJob(tx, { id: job.id, status }, state);
    const reason = state === 'failed' && end.state === 'failed' ? end.reason : null;
    const exitCode = end.state === 'failed' ? (end.exitCode ?? null) : null;
    await tx.job.update({ where: { id: job.id }, data: { failureReason: reason, coverage: end.coverage, exitCode } });
    if (state === 'failed') await afterFailure(tx, job.id);
    if (state === 'success' && hasSite) await recordChange(tx, stores, { type: 'siteBuilt', job: { id: job.id } });
    await settlePipeline(tx, stores, job.pipelineId);
    return state;
  });
}

/** Locks a job and returns its status, `failed` for an unfinished one that no longer meets the condition, and whether it publishes a site. */
async function statusOf(
  tx: Transaction,
  id: number,
  only: Prisma.Sql,
): Promise<{ status: JobStatus; hasSite: boolean }> {
  const [row] = await tx.$queryRaw<{ status: JobStatus; isMeant: boolean; hasSite: boolean | null }[]>`
    SELECT j.status::text AS status, ${only} AS "isMeant", j.options ? 'pages' AS "hasSite" FROM jobs j WHERE j.id = ${id} FOR UPDATE`;
  if (!row) throw new NotFound('Job');
  const isOver = ['running', 'canceling'].includes(row.status) && !row.isMeant;
  return { status: isOver ? 'failed' : row.status, hasSite: row.hasSite === true };
}
