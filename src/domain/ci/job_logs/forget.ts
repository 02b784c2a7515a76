import type { TraceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTrace } from '#src/domain/ci/job_logs/locate.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes the file of a deleted job log. */
    'traces.remove': TraceFile;
  }
}

/** Deletes the log of a job, with a background job for its file. Returns whether there was one. */
export async function forgetTrace(tx: Transaction, jobs: JobQueue, jobId: number): Promise<boolean> {
  const { count } = await tx.jobTraceChunk.deleteMany({ where: { jobId } });
  await tx.$executeRaw`SELECT job_id FROM job_traces WHERE job_id = ${jobId} FOR UPDATE`;
  const trace = await locateTrace(tx, jobId);
  if (!trace) return count > 0;
  await tx.jobTrace.delete({ where: { jobId } });
  const { project, version } = trace;
  await jobs.enqueue(tx, 'traces.remove', { project, jobId, version });
  return count > 0 || trace.size > 0;
}
