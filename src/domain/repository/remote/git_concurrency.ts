import { DomainError } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Limits of concurrent git requests, over all protocols. */
export interface GitConcurrencyLimits {
  /** In all; further ones wait for a while, and are then asked to retry. */
  atOnce: number;
  /** Maximum waiting time in milliseconds. */
  patience: number;
}

export const GIT_CONCURRENCY: GitConcurrencyLimits = { atOnce: 100, patience: 5_000 };

/** The maximum fractions for one caller, and for all anonymous callers together. */
const PARTS = { each: 0.3, anonymous: 0.7 };

/** Seconds after which rejected clients may retry. */
const LATER = { retryAfter: 30 };

/** Limits how many git requests run at once, in all and per caller. Throws DomainError of UNAVAILABLE, RATE_LIMITED. */
export function gitSemaphore(limits: Partial<GitConcurrencyLimits> = {}): CallerSemaphore {
  const { atOnce, patience } = { ...GIT_CONCURRENCY, ...limits };
  const each = Math.ceil(atOnce * PARTS.each);
  const anonymous = Math.ceil(atOnce * PARTS.anonymous);
  return new CallerSemaphore(
    { concurrency: atOnce, perCaller: each, anonymous, waitingPerCaller: each, patience },
    (limit) =>
      limit === 'own'
        ? new DomainError('tooOften', 'Too many concurrent git requests. Try again soon.', LATER)
        : new DomainError('notNow', 'The server is busy. Try again soon.', LATER),
  );
}
