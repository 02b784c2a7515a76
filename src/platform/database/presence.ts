import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, isFull } from '../database_unavailable.ts';

/** Milliseconds between two looks whether the database is back. */
const POLL_INTERVAL_MS = 100;

/** What pg says of a connection that is not made in time. */
const LATE = /timeout/;

/** Called at the beginning and the end of each outage, once. */
export interface OutageListener {
  away(reason: string): void;
  back(milliseconds: number): void;
}

/**
 * Knows whether the database answers. Once a caller suspects that it does not, this alone tries one connection after the other
 * until one succeeds: so the database is not flooded when it is back.
 */
export class Presence {
  readonly #connect: () => Promise<void>;
  readonly #listener: OutageListener | undefined;
  #looking: Promise<void> | null = null;
  #holds = false;
  #isUnavailable = false;
  #reason: unknown;
  #ended = false;

  /** @param connect makes a connection and ends it; it has a deadline of its own */
  constructor(connect: () => Promise<void>, listener?: OutageListener) {
    this.#connect = connect;
    this.#listener = listener;
  }

  /** Whether the database was looked for in vain. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /** Whether others wait until the database is found. */
  get holds(): boolean {
    return this.#looking !== null && this.#holds;
  }

  /** Starts looking for the database after it dropped or refused a connection; callers wait until it is found. */
  suspect(): void {
    this.#holds = true;
    this.wonder();
  }

  /** Has the database looked for that is silent, which it may be for good reasons: others wait only if it is not found. */
  wonder(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
      this.#holds = false;
    });
  }

  /** Returns as soon as nothing speaks against it that the database answers. Throws DatabaseUnavailable at a point of `performance.now()`. */
  async there(until: number): Promise<void> {
    while (this.holds) {
      const left = until - performance.now();
      if (left <= 0) throw new DatabaseUnavailable('The database is away.', { cause: this.#reason, sent: false });
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
    for (let attempt = 1; !this.#ended; attempt += 1) {
      const error = await this.#connect().then(
        () => null,
        (failure: unknown) => failure,
      );
      if (error === null || isFull(error)) break;
      this.#reason = error;
      const reason = error instanceof Error ? error.message : String(error);
      // A machine with too much to do may be late once.
      if (attempt === 1 && LATE.test(reason)) continue;
      if (since === undefined) {
        since = performance.now();
        this.#isUnavailable = true;
        this.#holds = true;
        this.#listener?.away(reason);
      }
      await sleep(POLL_INTERVAL_MS, undefined, { ref: false });
    }
    this.#isUnavailable = false;
    if (since !== undefined && !this.#ended) this.#listener?.back(performance.now() - since);
  }
}
