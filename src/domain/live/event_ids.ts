/** Milliseconds after which an ID that nobody has seen is taken for one of a transaction that was rolled back. */
const PATIENCE = 60_000;
/** How many such IDs a cursor names at most: the newest. */
const MOST_NAMED = 50;
/** How many of the IDs before the first one that is heard of may still come. */
const MOST_SKIPPED = 1_000;

/**
 * Which events have been told of so far. IDs are given out when a transaction writes and heard of when it commits, so that a
 * smaller one may come behind a larger one: a cursor names the largest one and those below it that may still come, and
 * whoever goes on from there misses none and gets none twice.
 */
export class EventIds {
  #largest: number;
  readonly #open = new Map<number, number>();

  /** @param open those below the largest that may still come */
  constructor(largest: number, open: readonly number[] = []) {
    this.#largest = largest;
    for (const id of open) this.#open.set(id, performance.now());
  }

  /** Notes that an event was told of, and gives the cursor behind it. */
  seen(id: number): string {
    if (id > this.#largest) {
      const from = Math.max(this.#largest + 1, id - MOST_SKIPPED);
      for (let missing = from; missing < id; missing++) this.#open.set(missing, performance.now());
      this.#largest = id;
    } else {
      this.#open.delete(id);
    }
    return eventCursor(this.position());
  }

  /** The largest ID, and those below it that may still come, from the smallest on. */
  position(): EventPosition {
    const late = performance.now() - PATIENCE;
    for (const [id, since] of this.#open) if (since < late) this.#open.delete(id);
    return { after: this.#largest, open: [...this.#open.keys()].sort((one, other) => one - other) };
  }
}

/** From where events are read on. */
export interface EventPosition {
  after: number;
  open: number[];
}

/** The cursor of a position: `17`, and `17-12-15` where 12 and 15 may still come. */
export function eventCursor({ after, open }: EventPosition): string {
  return [after, ...open.slice(-MOST_NAMED)].join('-');
}

/** What a cursor says; null when it is none. The ID of an event is one. */
export function parseEventCursor(cursor: string): EventPosition | null {
  if (!/^\d{1,10}(-\d{1,10}){0,50}$/.test(cursor)) return null;
  const [after = 0, ...open] = cursor.split('-').map(Number);
  const known = [after, ...open].every((id) => id <= 2_147_483_647);
  return known ? { after, open } : null;
}
