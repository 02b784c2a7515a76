import type { Context } from '#src/access/actor.ts';
import { locateTrace } from '#src/traces/locate.ts';
import { LARGEST_PART, readTracePart } from '#src/traces/part.ts';

/** Bytes of the end of a trace in which something is looked for. */
const TAIL = 4 * LARGEST_PART;

/** The end of what a job printed; what is no UTF-8 is replaced. */
export async function readTraceTail(stores: Pick<Context, 'db' | 'repositories'>, jobId: number): Promise<string> {
  const size = (await locateTrace(stores.db, jobId))?.size ?? 0;
  let text = '';
  for (let from = Math.max(0, size - TAIL), more = true; more; ) {
    const part = await readTracePart(stores, jobId, from, true);
    text += part.content;
    more = part.hasMore && part.nextOffset > from;
    from = part.nextOffset;
  }
  return text;
}
