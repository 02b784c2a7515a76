import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { appendTraceWithin } from '#src/domain/ci/job_logs/append.ts';
import { moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A job of a pipeline. */
export interface RunningJob {
  id: number;
  pipelineId: number;
}

/** The final report about a job. */
export interface JobResult {
  state: 'success' | 'failed';
  /** In percent. */
  coverage?: number | undefined;
}

/** Starts a job, with its output so far. Throws NotFound, BadRequest if it is not pending. */
export function startJob(stores: WithRepositories & ChangeContext, job: RunningJob, printed: string): Promise<void> {
  return withJob(stores, job, async (tx, { id, status }) => {
    await moveJob(tx, { id, status }, 'running');
    if (printed !== '') await appendTraceWithin(tx, stores, id, Buffer.from(printed));
  });
}

/** Finishes a job. Throws NotFound, BadRequest if it is over already. */
export function finishJob(
  stores: WithRepositories & ChangeContext,
  job: RunningJob,
  { state, coverage }: JobResult,
): Promise<void> {
  return withJob(stores, job, async (tx, { id, status }) => {
    await moveJob(tx, { id, status }, state);
    if (coverage !== undefined) await tx.job.update({ where: { id }, data: { coverage } });
  });
}

/** Runs work on a job under the lock of its pipeline, which is then settled. */
async function withJob(
  stores: WithRepositories & ChangeContext,
  { id, pipelineId }: RunningJob,
  work: (tx: Transaction, job: { id: number; status: JobStatus }) => Promise<unknown>,
): Promise<void> {
  await stores.db.$transaction(async (tx) => {
    await lockPipeline(tx, pipelineId);
    const job = await tx.job.findUniqueOrThrow({ where: { id, pipelineId }, select: { id: true, status: true } });
    await work(tx, job);
    await settlePipeline(tx, stores, pipelineId);
  });
}
