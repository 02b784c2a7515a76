import { RateLimited, Unavailable } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Limits of subscriptions. */
export interface LiveLimits {
  /** Subscriptions in this process; also open connections. */
  total: number;
  /** Subscriptions per user, or per network of anonymous callers; also open connections. */
  perCaller: number;
  /** Concurrent subscriptions and other operations on one WebSocket. */
  perConnection: number;
  /** Bytes buffered for a slow client. */
  buffer: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  total: 20_000,
  perCaller: 200,
  perConnection: 100,
  buffer: 1024 * 1024,
};

/** Bytes of the documents and variables of all subscriptions. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Seconds after which a caller over the limit may retry. */
const RETRY = 5;

/**
 * Limits the number of subscriptions or connections, per caller and in all. Throws RateLimited, Unavailable.
 *
 * @param what plural noun for errors: `subscriptions`
 */
export function subscriptionQuota(
  what: string,
  { total, perCaller }: Pick<LiveLimits, 'total' | 'perCaller'>,
): CallerSemaphore {
  return new CallerSemaphore({ concurrency: total, perCaller, bytes: MAX_TEXT_BYTES }, (limit) =>
    limit === 'own'
      ? new RateLimited(RETRY, `You have ${perCaller} ${what} open, which is the limit.`)
      : new Unavailable(`The server has no room for more ${what}. Try again later.`),
  );
}
