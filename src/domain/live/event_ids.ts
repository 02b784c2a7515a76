/** Milliseconds after which an unseen ID is attributed to a transaction that was rolled back. */
const UNSEEN_ID_TIMEOUT_MS = 60_000;
/** Maximum number of such IDs in a cursor: the newest. */
const MAX_IDS_IN_CURSOR = 50;
/** How many IDs before the first received one may still arrive. */
const MAX_SKIPPED_IDS = 1_000;

/**
 * Tracks which events have been received. IDs are assigned when a transaction writes and received when it commits, so that a
 * smaller one may arrive after a larger one: a cursor contains the largest one and those below it that may still arrive, so that
 * resuming from there neither misses nor repeats events.
 */
export class EventIds {
  #largest: number;
  readonly #open = new Map<number, number>();

  /** @param open those below the largest that may still arrive */
  constructor(largest: number, open: readonly number[] = []) {
    this.#largest = largest;
    for (const id of open) this.#open.set(id, performance.now());
  }

  /** Records that an event was received, and returns the cursor after it. */
  seen(id: number): string {
    if (id > this.#largest) {
      const from = Math.max(this.#largest + 1, id - MAX_SKIPPED_IDS);
      for (let missing = from; missing < id; missing++) this.#open.set(missing, performance.now());
      this.#largest = id;
    } else {
      this.#open.delete(id);
    }
    return eventCursor(this.position());
  }

  /** The largest ID, and those below it that may still arrive, in ascending order. */
  position(): EventPosition {
    const late = performance.now() - UNSEEN_ID_TIMEOUT_MS;
    for (const [id, since] of this.#open) if (since < late) this.#open.delete(id);
    return { after: this.#largest, open: [...this.#open.keys()].sort((one, other) => one - other) };
  }
}

/** A position from which events are read. */
export interface EventPosition {
  after: number;
  open: number[];
}

/** The cursor of a position: `17`, or `17-12-15` if 12 and 15 may still arrive. */
export function eventCursor({ after, open }: EventPosition): string {
  return [after, ...open.slice(-MAX_IDS_IN_CURSOR)].join('-');
}

/** Parses a cursor; null if it is invalid. The ID of an event is also a cursor. */
export function parseEventCursor(cursor: string): EventPosition | null {
  if (!/^\d{1,10}(-\d{1,10}){0,50}$/.test(cursor)) return null;
  const [after = 0, ...open] = cursor.split('-').map(Number);
  const known = [after, ...open].every((id) => id <= 2_147_483_647);
  return known ? { after, open } : null;
}
