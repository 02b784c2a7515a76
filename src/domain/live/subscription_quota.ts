import { RateLimited, Unavailable } from '#src/platform/errors.ts';

/** How much may be subscribed to at once. */
export interface LiveLimits {
  /** Subscriptions in this process, and as many open connections. */
  total: number;
  /** Subscriptions of one user, or of one network of unknown callers, and as many open connections. */
  perCaller: number;
  /** Subscriptions and other operations that one WebSocket carries at once. */
  perConnection: number;
  /** Bytes that wait for a client that does not take them. */
  buffer: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  total: 20_000,
  perCaller: 200,
  perConnection: 100,
  buffer: 1024 * 1024,
};

/** Bytes of the documents and variables of all subscriptions. */
const MOST_TEXT = 64 * 1024 * 1024;

/** Seconds after which somebody who has too many may try again. */
const RETRY = 5;

/** Limits the number of subscriptions or connections, for each caller and in all. */
export class SubscriptionQuota {
  readonly #what: string;
  readonly #limits: Pick<LiveLimits, 'total' | 'perCaller'>;
  readonly #taken = new Map<string, number>();
  #total = 0;
  #text = 0;

  /** @param what they are for, as errors name it: `subscriptions` */
  constructor(what: string, limits: Pick<LiveLimits, 'total' | 'perCaller'>) {
    this.#what = what;
    this.#limits = limits;
  }

  get taken(): number {
    return this.#total;
  }

  /**
   * Takes a place.
   *
   * @param text bytes that it keeps
   * @returns gives it back, once however often it is called
   * @throws RateLimited when the caller has as many as they may, Unavailable when all have
   */
  take(caller: string, text = 0): () => void {
    const { total, perCaller } = this.#limits;
    const own = this.#taken.get(caller) ?? 0;
    if (own >= perCaller) throw new RateLimited(RETRY, `You have ${perCaller} ${this.#what} open, which is the limit.`);
    if (this.#total >= total || this.#text + text > MOST_TEXT) {
      throw new Unavailable(`The server has no room for more ${this.#what}. Try again later.`);
    }
    this.#taken.set(caller, own + 1);
    this.#total += 1;
    this.#text += text;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total -= 1;
      this.#text -= text;
      const left = (this.#taken.get(caller) ?? 1) - 1;
      if (left > 0) this.#taken.set(caller, left);
      else this.#taken.delete(caller);
    };
  }
}
