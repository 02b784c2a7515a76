import type { Db } from '#src/platform/db.ts';

/** A part of what a job printed. */
export interface TracePart {
  /** Where it begins, in bytes. */
  offset: number;
  /** Where the next part begins. */
  nextOffset: number;
  /** What is no UTF-8 is replaced. */
  content: string;
  /** Whether more was printed already. */
  hasMore: boolean;
}

/** Bytes of the largest part. */
export const LARGEST_PART = 64 * 1024;

/**
 * What a job printed from an offset on; empty where it printed nothing yet. A character that has come in half waits for its
 * other half, unless the job is over.
 */
export async function readTracePart(db: Db, jobId: number, from: number, isOver: boolean): Promise<TracePart> {
  const chunks = await db.$queryRaw<{ start: number; content: Uint8Array }[]>`
    SELECT greatest(position, ${from})::float8 AS start,
      substring(content FROM (greatest(${from} - position, 0) + 1)::int FOR ${LARGEST_PART + 1}) AS content
    FROM job_trace_chunks
    WHERE job_id = ${jobId} AND position + length(content) > ${from}
      AND position >= COALESCE((SELECT max(position) FROM job_trace_chunks WHERE job_id = ${jobId} AND position <= ${from}), 0)
    ORDER BY position LIMIT 16`;
  const offset = chunks[0]?.start ?? from;
  const printed = Buffer.concat(chunks.map(({ content }) => content));
  const hasMore = printed.length > LARGEST_PART || chunks.length === 16;
  const part = printed.subarray(0, LARGEST_PART);
  const whole = isOver && !hasMore ? part : part.subarray(0, wholeCharacters(part));
  const content = whole.toString('utf8').replaceAll('\0', '');
  return { offset, nextOffset: offset + whole.length, content, hasMore: hasMore && whole.length > 0 };
}

/** How many bytes there are without a character of UTF-8 at the end that has not come as a whole. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
