import { CANCELABLE, type JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { cancelJobs } from '#src/domain/ci/jobs/cancel.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** Older pipelines that are looked at. */
const MAX_PIPELINES = 50;

/**
 * Cancels what a new pipeline of the same ref makes unnecessary, as the files of the older ones say, else the project: all of an older
 * pipeline in which no job has started that must not be interrupted, or the jobs that may be. Else they go on.
 */
export async function cancelRedundant(context: ChangeContext, id: number): Promise<void> {
  const older = await context.db.$queryRaw<{ id: number; mode: string | null }[]>`
    SELECT o.id, o.auto_cancel->>'onNewCommit' AS mode FROM pipelines p JOIN pipelines o ON o.project_id = p.project_id AND o.ref = p.ref
        AND o.id < p.id AND o.tag = p.tag AND o.merge_request_id IS NOT DISTINCT FROM p.merge_request_id
    WHERE p.id = ${id} AND o.sha <> p.sha AND o.source <> 'parent_pipeline' AND o.status = ANY(${[...CANCELABLE]}::job_status[])
      AND (o.auto_cancel->>'onNewCommit' IS NOT NULL OR (SELECT auto_cancel_pending_pipelines FROM projects WHERE id = p.project_id) OR EXISTS (SELECT 1 FROM jobs j WHERE j.pipeline_id = o.id AND j.interruptible))
    ORDER BY o.id DESC LIMIT ${MAX_PIPELINES}`;
  for (const { id: old, mode } of older) {
    if (mode === 'none') continue;
    await context.db
      .$transaction(async (tx) => {
        await lockPipeline(tx, old);
        if (!(await cancelThose(tx, old, mode === 'interruptible'))) return;
        await settlePipeline(tx, context, old);
        if (mode !== 'interruptible') await context.jobs?.enqueue(tx, 'pipelines.cancel_children', { pipelineId: old });
      })
      .catch((error) => {
        if (!(error instanceof NotFound)) throw error;
      });
  }
}

async function cancelThose(tx: Transaction, id: number, onlyInterruptible: boolean): Promise<boolean> {
  const jobs = await tx.$queryRaw<{ id: number; status: JobStatus; interruptible: boolean; hasStarted: boolean }[]>`
    SELECT id, status::text AS status, interruptible, started_at IS NOT NULL AS "hasStarted" FROM jobs
    WHERE pipeline_id = ${id} AND NOT retried`;
  if (!onlyInterruptible && jobs.some((job) => job.hasStarted && !job.interruptible)) return false;
  const ids = jobs
    .filter((job) => CANCELABLE.includes(job.status) && (job.interruptible || !onlyInterruptible))
    .map((job) => job.id);
  const canceled = await cancelJobs(tx, sql`id = ANY(${ids}::int[])`);
  return canceled.length > 0;
}
