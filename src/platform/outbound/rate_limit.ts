import type { IncomingHttpHeaders } from 'node:http';

/** Milliseconds that a server is left alone that says nothing of when to come again; and the longest time that it can ask for. */
const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * Until when a server wants no more requests: by `Retry-After` (RFC 9110, section 10.2.3), or by `X-RateLimit-Remaining` and
 * `X-RateLimit-Reset` (seconds since 1970), or `RateLimit-Reset`. Null for a response that says nothing of it.
 *
 * @param text the beginning of the body: GitHub's secondary limits may be told there alone
 * @param now milliseconds since 1970
 */
export function rateLimitOf(status: number, headers: IncomingHttpHeaders, text: string, now: number): Date | null {
  const isLimit = status === 429 || status === 403 || status === 503;
  if (!isLimit) return null;
  const after = afterSeconds(headers['retry-after'], now);
  if (after !== null) return bounded(now + after * 1_000, now);
  if (String(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']) === '0' || status === 429) {
    const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
    return bounded(Number.isFinite(reset) ? reset * 1_000 : now + DEFAULT_WAIT_MS, now);
  }
  return status === 403 && /\brate limit/i.test(text) ? bounded(now + DEFAULT_WAIT_MS, now) : null;
}

/** Seconds, or a date of HTTP. */
function afterSeconds(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1_000);
}

/** A second at least: the clocks of servers differ. */
function bounded(time: number, now: number): Date {
  return new Date(Math.min(Math.max(time, now + 1_000), now + MAX_WAIT_MS));
}
