import type { ChangeContext } from '#src/domain/changes/record.ts';
import { moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { NotFound } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Queues delayed jobs whose time has come. */
    'jobs.begin_scheduled': Record<string, never>;
  }
}

/** Jobs per statement. */
const BATCH_SIZE = 200;

/** Queues the delayed jobs whose time has come. */
export async function beginScheduled(context: ChangeContext): Promise<void> {
  for (let after = 0; ; ) {
    const due = await context.db.$queryRaw<{ id: number; pipelineId: number }[]>`
      SELECT id, pipeline_id AS "pipelineId" FROM jobs
      WHERE scheduled_at <= now() AND status = 'scheduled' AND id > ${after} ORDER BY id LIMIT ${BATCH_SIZE}`;
    for (const { id, pipelineId } of due) await begin(context, id, pipelineId);
    after = due.at(-1)?.id ?? after;
    if (due.length < BATCH_SIZE) return;
  }
}

async function begin(context: ChangeContext, id: number, pipelineId: number): Promise<void> {
  await context.db
    .$transaction(async (tx) => {
      await lockPipeline(tx, pipelineId);
      const job = await tx.job.findUnique({ where: { id }, select: { id: true, status: true } });
      if (job?.status !== 'scheduled') return;
      await moveJob(tx, { id, status: job.status }, 'pending');
      await settlePipeline(tx, context, pipelineId);
    })
    .catch((error) => {
      if (!(error instanceof NotFound)) throw error;
    });
}
