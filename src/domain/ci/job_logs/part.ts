import { readChunksAt } from '#src/domain/ci/job_logs/chunks.ts';
import { readAt, traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTrace } from '#src/domain/ci/job_logs/locate.ts';
import { textOf } from '#src/domain/ci/job_logs/read.ts';
import { wholeCharacters } from '#src/domain/ci/job_logs/whole_characters.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';

/** A chunk of a job's output. */
export interface TracePart {
  /** Its offset in bytes. */
  offset: number;
  /** The offset of the next chunk. */
  nextOffset: number;
  /** Invalid UTF-8 is replaced. */
  content: string;
  /** Whether there is more output already. */
  hasMore: boolean;
}

/** Bytes of the largest chunk. */
export const MAX_PART_BYTES = 64 * 1024;

/**
 * A job's output from an offset on; empty if there is none yet. An incomplete character at the end waits for its other bytes,
 * unless the job is over.
 */
export async function readTracePart(
  stores: WithRepositories,
  jobId: number,
  from: number,
  isOver: boolean,
): Promise<TracePart> {
  const { printed, hasMore } = await read(stores, jobId, from);
  const part = printed.subarray(0, MAX_PART_BYTES);
  const whole = isOver && !hasMore ? part : part.subarray(0, wholeCharacters(part));
  return {
    offset: from,
    nextOffset: from + whole.length,
    content: textOf(whole),
    hasMore: hasMore && whole.length > 0,
  };
}

async function read(
  { db, repositories }: WithRepositories,
  jobId: number,
  from: number,
): Promise<{ printed: Buffer; hasMore: boolean }> {
  const trace = await locateTrace(db, jobId);
  if (trace) {
    const length = Math.max(0, Math.min(trace.size - from, MAX_PART_BYTES + 1));
    const printed = length === 0 ? Buffer.alloc(0) : await readAt(traceFile(repositories, trace), from, length);
    return { printed, hasMore: printed.length > MAX_PART_BYTES };
  }
  const printed = await readChunksAt(db, jobId, from, MAX_PART_BYTES + 1);
  if (printed.length === 0 || printed.length > MAX_PART_BYTES)
    return { printed, hasMore: printed.length > MAX_PART_BYTES };
  // Small rows are read in batches.
  const more = await readChunksAt(db, jobId, from + printed.length, 1);
  return { printed, hasMore: more.length > 0 };
}
