import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Longest document in characters that is parsed and measured without queueing. */
const LONG = 8 * 1024;

/** Longer documents, one at a time per caller. */
const CONCURRENCY_LIMITS = { concurrency: 4, perCaller: 1, waitingPerCaller: 50, waiting: 500, patience: 20_000 };

/** Queues the processing of long documents, whatever the transport. */
export class LongDocuments {
  readonly #turns = new CallerSemaphore(CONCURRENCY_LIMITS);

  /** Whether a document must be queued. */
  isLong(text: string | null | undefined): boolean {
    return (text?.length ?? 0) > LONG;
  }

  /** Throws RateLimited, Unavailable. */
  inTurn<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(caller, work);
  }
}
