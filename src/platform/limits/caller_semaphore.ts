import { RateLimited, Unavailable } from '../errors.ts';

export interface SemaphoreLimits {
  /** How many run at once. */
  concurrency: number;
  /** How many of these one caller may have; all by default. */
  perCaller?: number;
  /** How many of these anonymous callers may have together; all by default. */
  anonymous?: number;
  /** Bytes that they may hold together; one is let in whatever its size. */
  bytes?: number;
  /** How many more of one caller wait; none by default. */
  waitingPerCaller?: number;
  /** How many wait in all; any number by default. */
  waiting?: number;
  /** Milliseconds that one waits at most; as long as it takes by default. */
  patience?: number;
}

/**
 * The error for a caller who is refused.
 *
 * @param limit that of the caller, or that of all callers together
 * @param waited whether the caller was out of patience
 */
export type Refusal = (limit: 'own' | 'all', waited: boolean) => Error;

interface Options {
  isAnonymous?: boolean;
  /** What it holds, in bytes. */
  bytes?: number;
}

interface Task {
  start(): void;
  options: Options;
}

interface Caller {
  running: number;
  waiting: Task[];
}

/**
 * Limits how many run at once, in all and for each caller. Where more may wait, callers take turns: whoever sends much waits for
 * its own. A caller is any text that identifies one, such as `callerOf` returns.
 */
export class CallerSemaphore {
  readonly #limits: Required<SemaphoreLimits>;
  readonly #refusal: Refusal;
  /** Those with something that runs or waits, in the order in which their turns come. */
  readonly #callers = new Map<string, Caller>();
  #running = 0;
  #anonymous = 0;
  #bytes = 0;
  #waiting = 0;

  constructor(limits: SemaphoreLimits, refusal: Refusal = busy) {
    const { concurrency } = limits;
    const any = Number.POSITIVE_INFINITY;
    const waits = { waitingPerCaller: 0, waiting: any, patience: any };
    this.#limits = { perCaller: concurrency, anonymous: concurrency, bytes: any, ...waits, ...limits };
    this.#refusal = refusal;
  }

  /** How many callers are remembered. */
  get callers(): number {
    return this.#callers.size;
  }

  /** Does the work when it is the caller's turn. Throws what take throws. */
  async run<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const release = this.#start(caller, {}) ?? (await this.#wait(caller, {}));
    try {
      return await work();
    } finally {
      // In the next turn of the event loop, so that others get to theirs between two pieces of work that never wait.
      setImmediate(release);
    }
  }

  /**
   * Waits for the caller's turn, which lasts until the returned function is called. By default:
   *
   * @throws RateLimited when too many of the caller wait already, Unavailable when too many wait in all, or out of patience
   */
  async take(caller: string, options: Options = {}): Promise<() => void> {
    return this.#start(caller, options) ?? this.#wait(caller, options);
  }

  /** As take, but throws instead of waiting. */
  takeNow(caller: string, options: Options = {}): () => void {
    const release = this.#start(caller, options);
    if (!release) throw this.#refusal(this.#limitOf(options), false);
    return release;
  }

  /** Starts what may start now and goes past nobody. */
  #start(name: string, options: Options): (() => void) | null {
    const caller = this.#callers.get(name) ?? { running: 0, waiting: [] };
    return caller.waiting.length === 0 && this.#mayStart(caller, options) ? this.#begin(name, caller, options) : null;
  }

  #mayStart({ running }: Caller, options: Options): boolean {
    return running < this.#limits.perCaller && !this.#isFull(options);
  }

  #isFull({ isAnonymous = false, bytes = 0 }: Options): boolean {
    const { concurrency, anonymous, bytes: most } = this.#limits;
    if (this.#running >= concurrency || (isAnonymous && this.#anonymous >= anonymous)) return true;
    return this.#running > 0 && this.#bytes + bytes > most;
  }

  #limitOf(options: Options): 'own' | 'all' {
    return this.#isFull(options) ? 'all' : 'own';
  }

  /** Returns what ends it, once however often it is called. */
  #begin(name: string, caller: Caller, { isAnonymous = false, bytes = 0 }: Options): () => void {
    this.#callers.set(name, caller);
    this.#count(caller, 1, isAnonymous, bytes);
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      this.#count(caller, -1, isAnonymous, -bytes);
      this.#forgetIdle(name, caller);
      this.#next();
    };
  }

  #count(caller: Caller, by: 1 | -1, isAnonymous: boolean, bytes: number): void {
    caller.running += by;
    this.#running += by;
    this.#anonymous += isAnonymous ? by : 0;
    this.#bytes += bytes;
  }

  #forgetIdle(name: string, { running, waiting }: Caller): void {
    if (running === 0 && waiting.length === 0) this.#callers.delete(name);
  }

  #wait(name: string, options: Options): Promise<() => void> {
    const { waitingPerCaller, waiting, patience } = this.#limits;
    const caller = this.#callers.get(name) ?? { running: 0, waiting: [] };
    const own = caller.waiting.length;
    if (own >= waitingPerCaller) throw this.#refusal(own > 0 ? 'own' : this.#limitOf(options), false);
    if (this.#waiting >= waiting) throw this.#refusal('all', false);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = () => {
      clearTimeout(timer);
      this.#waiting--;
      caller.waiting.splice(caller.waiting.indexOf(task), 1);
    };
    const start = () => {
      leave();
      resolve(this.#begin(name, caller, options));
    };
    const giveUp = () => {
      leave();
      this.#forgetIdle(name, caller);
      reject(this.#refusal(this.#limitOf(options), true));
    };
    const task: Task = { start, options };
    const timer = Number.isFinite(patience) ? setTimeout(giveUp, patience) : undefined;
    this.#callers.set(name, caller);
    this.#waiting++;
    caller.waiting.push(task);
    return promise;
  }

  /** Starts what may start now: one of each caller, then again. */
  #next(): void {
    if (this.#waiting === 0) return;
    for (const [name, caller] of this.#callers) {
      if (this.#running >= this.#limits.concurrency) return;
      const [task] = caller.waiting;
      if (!task || !this.#mayStart(caller, task.options)) continue;
      // Behind all others, as it had its turn.
      this.#callers.delete(name);
      this.#callers.set(name, caller);
      task.start();
    }
  }
}

function busy(limit: 'own' | 'all', waited: boolean): Error {
  if (limit === 'own' && !waited) return new RateLimited(1, 'Too many requests at once. Try again later.');
  return new Unavailable('The server is busy. Try again later.');
}
