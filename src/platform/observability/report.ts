import type { IncomingMessage } from 'node:http';
import type { Logger } from '#src/platform/observability/log.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** Receives unexpected errors; those of a request with the request. */
export type Report = (error: unknown, request?: IncomingMessage) => void;

/** Milliseconds for which a cause that passes, and was told, is not told again. */
const QUIET = 10_000;

/** How many errors of one place in the program are told in so many milliseconds, and how many places are known. */
const UNEXPECTED = { lines: 20, milliseconds: 60_000, places: 1_000 };

/**
 * Tells the log of errors: whatever fails because of a cause that passes makes one line of its kind every ten seconds; anything
 * else makes a line with where it happened, of one place twenty in a minute, so that nobody fills the disk with them. A line says
 * how many others there were before it.
 *
 * @param what the message of the latter
 */
export function reporter(log: Logger | undefined, what: string): Report {
  const told = new Map<string, { at: number; others: number }>();
  const places = new Map<string, { since: number; lines: number; others: number }>();
  const tellUnexpected = (error: unknown, requestId: string | undefined) => {
    const now = performance.now();
    const place = placeOf(error);
    const last = places.get(place);
    const isRecent = last !== undefined && now - last.since < UNEXPECTED.milliseconds;
    if (isRecent && last.lines >= UNEXPECTED.lines) {
      last.others += 1;
      return;
    }
    if (!last && places.size >= UNEXPECTED.places) places.clear();
    const others = isRecent ? 0 : (last?.others ?? 0);
    places.set(place, isRecent ? { ...last, lines: last.lines + 1 } : { since: now, lines: 1, others: 0 });
    log?.error({ err: error, others: others || undefined, requestId }, what);
  };
  return (error, request) => {
    const cause = transientFailure(error);
    const requestId = (request as { id?: string } | undefined)?.id;
    if (!cause) return tellUnexpected(error, requestId);
    const { kind, reason } = cause;
    const last = told.get(kind);
    if (last && performance.now() - last.at < QUIET) {
      last.others += 1;
      return;
    }
    told.set(kind, { at: performance.now(), others: 0 });
    const others = last?.others || undefined;
    log?.warn({ cause: kind, others, requestId }, `${what}: ${reason}`);
  };
}

/** The kind of an error and the first line of its stack: its message may hold what a client sent. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return `${error.name} ${/^ +at .*$/m.exec(error.stack ?? '')?.[0] ?? ''}`;
}
