import type { Context } from '#src/access/permissions/actor.ts';
import { readChunks } from '#src/domain/ci/job_logs/chunks.ts';
import { readAt, traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTrace } from '#src/domain/ci/job_logs/locate.ts';
import { textOf } from '#src/domain/ci/job_logs/read.ts';

/** Bytes at the end of a job log that are searched. */
const TAIL = 256 * 1024;

/** The end of a job's output, at most so many bytes; invalid UTF-8 is replaced. */
export async function readTraceTail(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  jobId: number,
  bytes = TAIL,
): Promise<string> {
  const trace = await locateTrace(db, jobId);
  if (!trace) return textOf((await readChunks(db, jobId)).subarray(-bytes));
  const from = Math.max(0, trace.size - bytes);
  return textOf(await readAt(traceFile(repositories, trace), from, trace.size - from));
}
