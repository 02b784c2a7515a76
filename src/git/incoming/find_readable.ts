import type { Oid } from '../base/model.ts';

/** Limits of the search for readable objects. */
export interface ReadableBudget {
  /** The maximum number of parts to check. */
  parts: number;
  /** The maximum time in all, in milliseconds. */
  time: number;
}

const BUDGET: ReadableBudget = { parts: 200, time: 20_000 };

/**
 * The readable objects among many, found by bisection: a part that is not readable is split in two, so that a few broken objects
 * take a few steps. Objects whose part has not been checked when the budget is used up count as not readable.
 *
 * @param areReadable whether all objects of a part are readable; resolves to false when the signal is aborted
 */
export async function findReadable(
  oids: readonly Oid[],
  areReadable: (part: readonly Oid[], signal: AbortSignal) => Promise<boolean>,
  { parts, time }: ReadableBudget = BUDGET,
): Promise<Oid[]> {
  const signal = AbortSignal.timeout(time);
  const readable: Oid[] = [];
  // The largest parts come first: they settle the most.
  const open = oids.length === 0 ? [] : [oids];
  for (let looked = 0; looked < parts && !signal.aborted; looked++) {
    const part = open.shift();
    if (part === undefined) break;
    if (await areReadable(part, signal)) readable.push(...part);
    else if (part.length > 1) {
      const middle = part.length >> 1;
      open.push(part.slice(0, middle), part.slice(middle));
    }
  }
  return readable;
}
