import type { Request, RequestHandler } from 'express';
import { DomainError } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** How many large bodies are received at a time, to the disk. */
const UPLOAD_CONCURRENCY = { concurrency: 50, perCaller: 4, waitingPerCaller: 20, waiting: 200, patience: 60_000 };

/** How many of them are in memory at a time. */
const CONCURRENCY_LIMITS = { concurrency: 1, perCaller: 1, waitingPerCaller: 5, waiting: 20, patience: 60_000 };

/**
 * Receives requests to /graphql whose body exceeds some bytes to the disk, and answers them one at a time, as each is then held
 * in memory. Slow clients do not delay others. Smaller requests are answered immediately.
 *
 * @param callerOf identifies the caller
 */
export function largeUploads(
  bytes: number,
  callerOf: (request: Request) => Promise<string>,
  answer: (...given: Parameters<RequestHandler>) => Promise<void>,
): RequestHandler {
  const arrivals = new CallerSemaphore(UPLOAD_CONCURRENCY);
  const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
  return async (request, response, next) => {
    const size = Number(request.headers['content-length'] ?? 0);
    if (size <= bytes) return answer(request, response, next);
    try {
      const caller = await callerOf(request);
      await using body = await arrivals.run(caller, () => SpooledFile.from('', request, size));
      await turns.run(caller, () => {
        // Yoga reads the body from here if it is no longer in the request.
        request.body = body.stream();
        return answer(request, response, next);
      });
    } catch (error) {
      if (!(error instanceof DomainError) || response.headersSent) {
        // The client disconnected before the whole body arrived.
        if (!request.complete) return void response.destroy();
        throw error;
      }
      const { code, message, extensions } = error;
      if (extensions.retryAfter !== undefined) response.setHeader('Retry-After', String(extensions.retryAfter));
      response.status(code === 'RATE_LIMITED' ? 429 : 503).json({ errors: [{ message, extensions: { code } }] });
    }
  };
}
