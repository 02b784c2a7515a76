import { LARGEST_PART, readTracePart } from '#src/jobs/trace_part.ts';
import type { Db } from '#src/platform/db.ts';

/** Bytes of the end of a trace in which something is looked for. */
const TAIL = 4 * LARGEST_PART;

/** The end of what a job printed; what is no UTF-8 is replaced. */
export async function readTraceTail(db: Db, jobId: number): Promise<string> {
  const [row] = await db.$queryRaw<{ size: number | null }[]>`
    SELECT max(position + length(content))::float8 AS size FROM job_trace_chunks WHERE job_id = ${jobId}`;
  let text = '';
  for (let from = Math.max(0, (row?.size ?? 0) - TAIL), more = true; more; ) {
    const part = await readTracePart(db, jobId, from, true);
    text += part.content;
    more = part.hasMore && part.nextOffset > from;
    from = part.nextOffset;
  }
  return text;
}
