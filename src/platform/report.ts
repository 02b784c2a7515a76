import type { IncomingMessage } from 'node:http';
import type { Logger } from '#src/platform/log.ts';
import { passing } from '#src/platform/passing.ts';

/** Hears of errors that nobody expected; of those of a request, with the request. */
export type Report = (error: unknown, request?: IncomingMessage) => void;

/** Milliseconds for which a cause that passes, and was told, is not told again. */
const QUIET = 10_000;

/**
 * Tells the log of errors: whatever fails because of a cause that passes makes one line of its kind every ten seconds, which
 * says how many others there were; anything else makes a line with where it happened.
 *
 * @param what the message of the latter
 */
export function reporter(log: Logger | undefined, what: string): Report {
  const told = new Map<string, { at: number; others: number }>();
  return (error, request) => {
    const cause = passing(error);
    const requestId = (request as { id?: string } | undefined)?.id;
    if (!cause) return log?.error({ err: error, requestId }, what);
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
