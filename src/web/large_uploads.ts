import type { Request, RequestHandler } from 'express';
import { DomainError } from '#src/platform/errors.ts';
import { FairQueue } from '#src/platform/fair_queue.ts';

/** How many requests with so much in memory are answered at once. */
const TURNS = { concurrency: 2, perCaller: 1, waitingPerCaller: 5, waiting: 20, patience: 60_000 };

/**
 * Has requests to /graphql whose body is larger than some bytes answered a few at a time: they are in memory whole. The others
 * go past.
 *
 * @param callerOf who is one caller
 */
export function largeUploads(
  bytes: number,
  callerOf: (request: Request) => Promise<string>,
  answer: (...given: Parameters<RequestHandler>) => Promise<void>,
): RequestHandler {
  const queue = new FairQueue(TURNS);
  return async (request, response, next) => {
    if (Number(request.headers['content-length'] ?? 0) <= bytes) return answer(request, response, next);
    try {
      await queue.run(await callerOf(request), () => answer(request, response, next));
    } catch (error) {
      if (!(error instanceof DomainError) || response.headersSent) throw error;
      const { code, message, extensions } = error;
      response.setHeader('Connection', 'close');
      if (extensions.retryAfter !== undefined) response.setHeader('Retry-After', String(extensions.retryAfter));
      response.status(code === 'RATE_LIMITED' ? 429 : 503).json({ errors: [{ message, extensions: { code } }] });
    }
  };
}
