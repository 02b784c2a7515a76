import type { Oid } from '../model.ts';

/** How much looking for what is sound may take. */
export interface SoundBudget {
  /** How many parts are looked at. */
  parts: number;
  /** Milliseconds in all. */
  time: number;
}

const BUDGET: SoundBudget = { parts: 200, time: 20_000 };

/**
 * Those of the objects that are sound, by looking at them in parts, which are halved until a part is: a few of many that are
 * not are found in a few steps. What is not settled when the budget is used up counts as not sound.
 *
 * @param areSound whether all objects of a part are sound; it ends with false when the signal is aborted
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
