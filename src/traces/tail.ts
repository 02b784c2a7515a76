import type { Context } from '#src/access/actor.ts';
import { readChunks } from '#src/traces/chunks.ts';
import { readAt, traceFile } from '#src/traces/file.ts';
import { locateTrace } from '#src/traces/locate.ts';
import { textOf } from '#src/traces/read.ts';

/** Bytes of the end of a trace in which something is looked for. */
const TAIL = 256 * 1024;

/** The end of what a job printed, at most so many bytes; what is no UTF-8 is replaced. */
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
