import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** Receives unexpected errors; those of a request with the request. */
export type Report = (error: unknown, request?: IncomingMessage) => void;

/** Lines of a transient cause, and of errors of one place in the program, of which a thousand are remembered. */
const TRANSIENT = { perSecond: 1 / 10, atOnce: 1 };
const UNEXPECTED = { perSecond: 20 / 60, atOnce: 20 };
const REMEMBERED = 1_000;

/**
 * Logs errors. Transient failures are logged once per kind every ten seconds; others with the place where they happened, at most
 * twenty per place and minute, so that they cannot fill the disk. A line says how many were left out before it.
 *
 * @param what the message of the latter
 */
export function reporter(log: Logger | undefined, what: string): Report {
  const transient = new LeakyBucket(TRANSIENT, REMEMBERED);
  const unexpected = new LeakyBucket(UNEXPECTED, REMEMBERED);
  /** How many were left out since the last line, by kind or place. */
  const left = new LRUCache<string, number>({ max: REMEMBERED });
  return (error, request) => {
    const cause = transientFailure(error);
    const requestId = (request as { id?: string } | undefined)?.id;
    const key = cause ? cause.kind : placeOf(error);
    const others = left.get(key);
    if (!(cause ? transient : unexpected).tryTake(key)) return void left.set(key, (others ?? 0) + 1);
    left.delete(key);
    if (cause) log?.warn({ cause: cause.kind, others, requestId }, `${what}: ${cause.reason}`);
    else log?.error({ err: error, others, requestId }, what);
  };
}

/** The kind of an error and the first line of its stack: its message may hold what a client sent. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return `${error.name} ${/^ +at .*$/m.exec(error.stack ?? '')?.[0] ?? ''}`;
}
