import { RateLimited, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** How much may be subscribed to at once. */
export interface LiveLimits {
  /** Subscriptions in this process, and as many open connections. */
  total: number;
  /** Subscriptions of one user, or of one network of unknown callers, and as many open connections. */
  perCaller: number;
  /** Subscriptions and other operations that one WebSocket carries at once. */
  perConnection: number;
  /** Bytes that wait for a client that does not take them. */
  buffer: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  total: 20_000,
  perCaller: 200,
  perConnection: 100,
  buffer: 1024 * 1024,
};

/** Bytes of the documents and variables of all subscriptions. */
const MOST_TEXT = 64 * 1024 * 1024;

/** Seconds after which somebody who has too many may try again. */
const RETRY = 5;

/**
 * Limits the number of subscriptions or connections, for each caller and in all. Throws RateLimited, Unavailable.
 *
 * @param what they are for, as errors name it: `subscriptions`
 */
export function subscriptionQuota(
  what: string,
  { total, perCaller }: Pick<LiveLimits, 'total' | 'perCaller'>,
): CallerSemaphore {
  return new CallerSemaphore({ concurrency: total, perCaller, bytes: MOST_TEXT }, (limit) =>
    limit === 'own'
      ? new RateLimited(RETRY, `You have ${perCaller} ${what} open, which is the limit.`)
      : new Unavailable(`The server has no room for more ${what}. Try again later.`),
  );
}
