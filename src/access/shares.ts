import { networkOf } from '#src/users/attempts.ts';

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

/** Keeps one caller from taking what all have to share. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #used = new Map<string, number>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Takes a share until the function that is returned is called; else the reason why there is none. */
  take({ userId, address }: Sharer): (() => void) | NoShare {
    const { atOnce, each, anonymous } = this.#limits;
    const own = userId === null ? `address ${networkOf(address ?? '')}` : `user ${userId}`;
    if (this.#count('all') >= atOnce || (userId === null && this.#count('anonymous') >= anonymous)) return 'all';
    if (this.#count(own) >= each) return 'own';
    const keys = ['all', own, ...(userId === null ? ['anonymous'] : [])];
    for (const key of keys) this.#used.set(key, this.#count(key) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const key of keys) this.#release(key);
      isTaken = false;
    };
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
