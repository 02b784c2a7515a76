import { LRUCache } from 'lru-cache';
import type { Rate } from '#src/entrances/ssh/limits.ts';

/** How many networks are remembered. */
const NETWORKS = 10_000;

/** Spreads what costs the server work over time: in all, and what each network causes before that. */
export class Pace {
  readonly #all: Turns;
  readonly #each: Rate;
  readonly #networks = new LRUCache<string, Turns>({ max: NETWORKS });

  constructor(all: Rate, each: Rate) {
    this.#all = new Turns(all);
    this.#each = each;
  }

  /** Milliseconds until it is the network's turn; null if that would be more than `patience`, and then no turn is taken. */
  turn(network: string, patience: number, now = performance.now()): number | null {
    const own = this.#networks.get(network) ?? new Turns(this.#each);
    this.#networks.set(network, own);
    const wait = Math.max(own.wait(now), this.#all.wait(now));
    if (wait > patience) return null;
    own.take(now);
    this.#all.take(now);
    return wait;
  }
}

/** A rate as the moment at which what was taken so far would have been due. */
class Turns {
  readonly #interval: number;
  readonly #ahead: number;
  #due = 0;

  constructor({ perSecond, atOnce }: Rate) {
    this.#interval = 1_000 / perSecond;
    this.#ahead = atOnce * this.#interval;
  }

  wait(now: number): number {
    return Math.max(0, this.#due - now - this.#ahead + this.#interval);
  }

  take(now: number): void {
    this.#due = Math.max(this.#due, now) + this.#interval;
  }
}
