import type { Context } from '#src/access/actor.ts';
import { moveJob } from '#src/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/pipelines/settle.ts';
import type { JobStatus } from '#src/pipelines/status.ts';
import type { Transaction } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';

type Stores = Pick<Context, 'db'>;

/** What whoever runs a job says of it at the end. */
export interface JobResult {
  state: 'success' | 'failed';
  /** In percent. */
  coverage?: number | undefined;
}

/** Whoever runs a job begins, and may have something printed already. Throws NotFound, BadRequest when it is not its turn. */
export function startJob(stores: Stores, id: number, printed = ''): Promise<void> {
  return withJob(stores, id, async (tx, job) => {
    await moveJob(tx, job, 'running');
    if (printed !== '') await print(tx, id, printed);
  });
}

/** Whoever runs a job is done with it. Throws NotFound, BadRequest when nobody runs it. */
export function finishJob(stores: Stores, id: number, { state, coverage }: JobResult): Promise<void> {
  return withJob(stores, id, async (tx, job) => {
    await moveJob(tx, job, state);
    if (coverage !== undefined) await tx.job.update({ where: { id }, data: { coverage } });
  });
}

/** Works on a job while nobody else changes its pipeline, which follows. */
async function withJob(
  { db }: Stores,
  id: number,
  work: (tx: Transaction, job: { id: number; status: JobStatus }) => Promise<unknown>,
): Promise<void> {
  const found = await db.job.findUnique({ where: { id }, select: { pipelineId: true } });
  if (!found) throw new NotFound('Job');
  await db.$transaction(async (tx) => {
    await lockPipeline(tx, found.pipelineId);
    const job = await tx.job.findUniqueOrThrow({ where: { id }, select: { id: true, status: true } });
    await work(tx, job);
    await settlePipeline(tx, found.pipelineId);
  });
}

/** Adds to what a job has printed. */
async function print(tx: Transaction, jobId: number, text: string): Promise<void> {
  const [{ position }] = await tx.$queryRaw<[{ position: bigint }]>`
    SELECT COALESCE(max(position + length(content)), 0) AS position FROM job_trace_chunks WHERE job_id = ${jobId}`;
  await tx.jobTraceChunk.create({ data: { jobId, position, content: Buffer.from(text) } });
}
