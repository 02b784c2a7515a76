import { DomainError } from '#src/platform/errors.ts';
import { type Sharer, Shares } from '#src/platform/limits/shares.ts';

/** How many clients of git are served at a time, by whatever protocol. */
export interface GitConcurrencyLimits {
  /** In all; further ones wait for a while, and are told to come again then. */
  atOnce: number;
  /** Milliseconds that one may wait to be served. */
  patience: number;
}

export const GIT_CONCURRENCY: GitConcurrencyLimits = { atOnce: 100, patience: 5_000 };

/** The parts of all that one user, or one address, may have at once, and all anonymous callers together. */
const PARTS = { each: 0.3, anonymous: 0.7 };

/** Seconds after which those who were turned away may come again. */
const LATER = { retryAfter: 30 };

/** Limits how many git requests run at once, in all and for each caller. */
export class GitConcurrency {
  readonly #shares: Shares;
  readonly #limits: GitConcurrencyLimits;

  constructor(limits: Partial<GitConcurrencyLimits> = {}) {
    this.#limits = { ...GIT_CONCURRENCY, ...limits };
    const { atOnce } = this.#limits;
    const [each, anonymous] = [Math.ceil(atOnce * PARTS.each), Math.ceil(atOnce * PARTS.anonymous)];
    this.#shares = new Shares({ atOnce, each, anonymous });
  }

  /** Waits until a request may begin; it counts as running until the function that is returned is called. Throws DomainError of UNAVAILABLE, RATE_LIMITED. */
  async take(sharer: Sharer): Promise<() => void> {
    const { atOnce, patience } = this.#limits;
    const release = await this.#shares.wait(sharer, {
      milliseconds: patience,
      waiting: Math.ceil(atOnce * PARTS.each),
    });
    if (release === 'all') throw new DomainError('UNAVAILABLE', 'The server is busy. Try again soon.', LATER);
    if (release === 'own') {
      throw new DomainError('RATE_LIMITED', 'Too many concurrent git requests. Try again soon.', LATER);
    }
    return release;
  }
}
