import { Busy, RateLimited } from '#src/errors.ts';

export interface TurnLimits {
  /** How much work runs at a time; of each party one piece at most. */
  atOnce: number;
  /** How much may wait, of all parties together. */
  waiting: number;
  /** How much may wait of one party. */
  share: number;
  /** Milliseconds that one piece may wait. */
  patience: number;
}

interface Line {
  busy: boolean;
  waiting: (() => void)[];
}

/** Seconds after which somebody who was refused may come again: what waits is done by then. */
const RETRY_AFTER = 1;

/**
 * A short queue in which parties take turns: of each party one piece of work runs at a time, and a party that has much to do
 * holds nobody else up.
 */
export class Turns {
  readonly #limits: TurnLimits;
  /** Parties with anything to do, in the order in which it is their turn. */
  readonly #lines = new Map<string, Line>();
  #running = 0;
  #waiting = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Does a piece of work when it is the turn of the party. Throws RateLimited when too much of that party waits already, Busy
   * when too much waits in all or the turn does not come in time, and what the work throws.
   */
  async take<Result>(party: string, work: () => Promise<Result>): Promise<Result> {
    await this.#turn(party);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#finish(party);
    }
  }

  #turn(party: string): Promise<void> {
    const line = this.#lines.get(party) ?? { busy: false, waiting: [] };
    if (line.waiting.length >= this.#limits.share) throw new RateLimited(RETRY_AFTER);
    if (this.#waiting >= this.#limits.waiting) throw tooBusy();
    this.#lines.set(party, line);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(begin), 1);
        this.#waiting -= 1;
        if (!line.busy && line.waiting.length === 0) this.#lines.delete(party);
        reject(tooBusy());
      }, this.#limits.patience);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      line.waiting.push(begin);
      this.#waiting += 1;
      this.#next();
    });
  }

  #finish(party: string): void {
    const line = this.#lines.get(party);
    this.#lines.delete(party);
    if (line && line.waiting.length > 0) {
      // Whoever had a turn goes to the end.
      line.busy = false;
      this.#lines.set(party, line);
    }
    this.#next();
  }

  #next(): void {
    for (const line of this.#lines.values()) {
      if (this.#running >= this.#limits.atOnce) return;
      if (line.busy) continue;
      const begin = line.waiting.shift();
      if (!begin) continue;
      line.busy = true;
      this.#waiting -= 1;
      this.#running += 1;
      begin();
    }
  }
}

function tooBusy(): Busy {
  return new Busy('Too many people are signing in. Try again soon.', RETRY_AFTER);
}
