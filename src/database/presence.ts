import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAway, isFull } from './lost.ts';

/** Milliseconds between two looks whether the database is back. */
const PACE = 100;

/** Hears of the begin and the end of each outage, once. */
export interface OutageListener {
  away(reason: string): void;
  back(milliseconds: number): void;
}

/**
 * Knows whether the database answers. As soon as anybody suspects that it does not, one connection after the other is tried,
 * by nobody else, until one is made: an outage costs the database no more than that when it is back.
 */
export class Presence {
  readonly #connect: () => Promise<void>;
  readonly #listener: OutageListener | undefined;
  #looking: Promise<void> | null = null;
  #isAway = false;
  #reason: unknown;
  #ended = false;

  /** @param connect makes a connection and ends it; it has a deadline of its own */
  constructor(connect: () => Promise<void>, listener?: OutageListener) {
    this.#connect = connect;
    this.#listener = listener;
  }

  /** Whether the database was looked for in vain. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Has it looked for, unless that is going on. */
  suspect(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  /** Returns as soon as nothing speaks against it that the database answers. Throws DatabaseAway at a point of `performance.now()`. */
  async there(until: number): Promise<void> {
    while (this.#looking) {
      const left = until - performance.now();
      if (left <= 0) {
        throw new DatabaseAway('The database is away.', { cause: this.#reason, sent: false });
      }
      const timer = new AbortController();
      const late = sleep(left, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([this.#looking, late]);
      timer.abort();
    }
  }

  /** Stops looking. */
  end(): void {
    this.#ended = true;
  }

  async #look(): Promise<void> {
    let since: number | undefined;
    while (!this.#ended) {
      const error = await this.#connect().then(
        () => null,
        (failure: unknown) => failure,
      );
      if (error === null || isFull(error)) break;
      this.#reason = error;
      if (since === undefined) {
        since = performance.now();
        this.#isAway = true;
        this.#listener?.away(error instanceof Error ? error.message : String(error));
      }
      await sleep(PACE, undefined, { ref: false });
    }
    this.#isAway = false;
    if (since !== undefined && !this.#ended) this.#listener?.back(performance.now() - since);
  }
}
