import { LRUCache } from 'lru-cache';

/** How often something may happen. */
export interface Rate {
  perSecond: number;
  /** How many may happen at once after a pause. */
  atOnce: number;
}

/** Limits how often something happens, for each key. A bucket holds what was taken, and leaks at an even rate. */
export class LeakyBucket {
  readonly #interval: number;
  readonly #ahead: number;
  /** When what was taken for a key so far would have been due. */
  readonly #due: LRUCache<string | number, number>;

  /** @param keys how many are remembered: those used last */
  constructor({ perSecond, atOnce }: Rate, keys: number) {
    this.#interval = 1_000 / perSecond;
    this.#ahead = atOnce * this.#interval;
    this.#due = new LRUCache({ max: keys });
  }

  /** Milliseconds until there is room for one more. */
  wait(key: string | number, now = performance.now()): number {
    const due = this.#due.get(key) ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, due - now - this.#ahead + this.#interval);
  }

  /** How many places are taken. */
  taken(key: string | number, now = performance.now()): number {
    const due = this.#due.get(key) ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, Math.ceil((due - now) / this.#interval));
  }

  /** Takes the next place, whether there is room or not. */
  take(key: string | number, now = performance.now()): void {
    this.#due.set(key, Math.max(this.#due.get(key) ?? now, now) + this.#interval);
  }

  /** Takes a place if there is room; whether there was. */
  tryTake(key: string | number, now = performance.now()): boolean {
    const hasRoom = this.wait(key, now) === 0;
    if (hasRoom) this.take(key, now);
    return hasRoom;
  }
}
