import { networkOf } from '#src/platform/limits/network.ts';

/** How many of something may be under way at once. */
export interface ShareLimits {
  /** In all. */
  atOnce: number;
  /** For one user, or for the anonymous callers of one client address (an IPv6 network of 64 bits). */
  each: number;
  /** For all anonymous callers together: the rest is kept for users. */
  anonymous: number;
}

/** Who wants a share. */
export interface Sharer {
  userId: number | null;
  address: string | null;
}

/** Why there is no share now: others use all of them, or the caller has as many as one may. */
export type NoShare = 'all' | 'own';

/** How callers wait for a share. */
export interface Patience {
  /** Milliseconds at most. */
  milliseconds: number;
  /** How many may wait for one user, or for the anonymous callers of one address. */
  waiting: number;
}

/** Keeps one caller from taking what all have to share. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #used = new Map<string, number>();
  /** Those who wait, in the order in which they came: each tries again. */
  readonly #waiting = new Set<() => void>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Takes a share until the function that is returned is called; else the reason why there is none. */
  take({ userId, address }: Sharer): (() => void) | NoShare {
    const { atOnce, each, anonymous } = this.#limits;
    const own = keyOf({ userId, address });
    if (this.#count('all') >= atOnce || (userId === null && this.#count('anonymous') >= anonymous)) return 'all';
    if (this.#count(own) >= each) return 'own';
    const keys = ['all', own, ...(userId === null ? ['anonymous'] : [])];
    for (const key of keys) this.#used.set(key, this.#count(key) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const key of keys) this.#release(key);
      for (const attempt of [...this.#waiting]) attempt();
    };
  }

  /** As take, but waits for a share while others, or the caller, use them. */
  async wait(sharer: Sharer, { milliseconds, waiting }: Patience): Promise<(() => void) | NoShare> {
    const first = this.take(sharer);
    const queue = `waiting ${keyOf(sharer)}`;
    if (typeof first === 'function' || this.#count(queue) >= waiting) return first;
    this.#used.set(queue, this.#count(queue) + 1);
    const { promise, resolve } = Promise.withResolvers<(() => void) | NoShare>();
    const attempt = () => {
      const taken = this.take(sharer);
      if (typeof taken !== 'function') return;
      // Whoever was given a share does not try once more.
      this.#waiting.delete(attempt);
      resolve(taken);
    };
    const timer = setTimeout(() => {
      this.#waiting.delete(attempt);
      resolve(first);
    }, milliseconds);
    this.#waiting.add(attempt);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(attempt);
      this.#release(queue);
    }
  }

  #count(key: string): number {
    return this.#used.get(key) ?? 0;
  }

  #release(key: string): void {
    const left = this.#count(key) - 1;
    if (left > 0) this.#used.set(key, left);
    else this.#used.delete(key);
  }
}

function keyOf({ userId, address }: Sharer): string {
  return userId === null ? `address ${networkOf(address ?? '')}` : `user ${userId}`;
}
