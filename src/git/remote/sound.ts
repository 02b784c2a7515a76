import type { Oid } from '../model.ts';

/** Limits of the search for sound objects. */
export interface SoundBudget {
  /** The maximum number of parts to check. */
  parts: number;
  /** The maximum time in all, in milliseconds. */
  time: number;
}

const BUDGET: SoundBudget = { parts: 200, time: 20_000 };

/**
 * The sound objects among many, found by bisection: a part that is not sound is split in two, so that a few broken objects
 * take a few steps. Objects whose part has not been checked when the budget is used up count as not sound.
 *
 * @param areSound whether all objects of a part are sound; resolves to false when the signal is aborted
 */
export async function soundAmong(
  oids: readonly Oid[],
  areSound: (part: readonly Oid[], signal: AbortSignal) => Promise<boolean>,
  { parts, time }: SoundBudget = BUDGET,
): Promise<Oid[]> {
  const signal = AbortSignal.timeout(time);
  const sound: Oid[] = [];
  // The largest parts come first: they settle the most.
  const open = oids.length === 0 ? [] : [oids];
  for (let looked = 0; looked < parts && !signal.aborted; looked++) {
    const part = open.shift();
    if (part === undefined) break;
    if (await areSound(part, signal)) sound.push(...part);
    else if (part.length > 1) {
      const middle = part.length >> 1;
      open.push(part.slice(0, middle), part.slice(middle));
    }
  }
  return sound;
}
