import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** Characters of the longest document that is parsed and measured in passing. */
const LONG = 8 * 1024;

/** Longer documents, of one caller one at a time. */
const TURNS = { concurrency: 4, perCaller: 1, waitingPerCaller: 50, waiting: 500, patience: 20_000 };

/** Has long documents looked at by turns, however they come. */
export class LongDocuments {
  readonly #turns = new CallerSemaphore(TURNS);

  /** Whether a document has to wait for its turn. */
  isLong(text: string | null | undefined): boolean {
    return (text?.length ?? 0) > LONG;
  }

  /** Throws RateLimited, Unavailable. */
  inTurn<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(caller, work);
  }
}
