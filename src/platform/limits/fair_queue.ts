import { RateLimited, Unavailable } from '../errors.ts';

/** How much is done at once, and how long others wait. */
export interface FairQueueOptions {
  /** Pieces of work that run at once. */
  concurrency: number;
  /** Of these, how many one caller may have. */
  perCaller: number;
  /** How many more of one caller's wait; the next one is refused. */
  waitingPerCaller: number;
  /** How many wait in all. */
  waiting: number;
  /** Milliseconds that a piece of work waits at most. */
  patience: number;
}

interface Task {
  start(): void;
  refuse(): void;
  timer: NodeJS.Timeout;
}

interface Caller {
  running: number;
  waiting: Task[];
}

/**
 * Lets work run a few pieces at a time, by turns for each caller: whoever sends much waits for its own, and others go past.
 * A caller is any text that tells who asks: a user, or the address of somebody unknown.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In the order in which their turns come. */
  readonly #callers = new Map<string, Caller>();
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /**
   * Does the work when it is its turn.
   *
   * @throws RateLimited when the caller has too much waiting already, Unavailable when all have, or when it waited too long
   */
  async run<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const known = this.#callers.get(caller) ?? { running: 0, waiting: [] };
    if (known.waiting.length > 0 || !this.#mayStart(known)) await this.#turn(caller, known);
    else {
      this.#callers.set(caller, known);
      this.#begin(known);
    }
    try {
      return await work();
    } finally {
      // Its place is free in the next turn of the event loop: others get to theirs between two pieces of work that never wait.
      setImmediate(() => this.#end(caller, known));
    }
  }

  #end(name: string, caller: Caller): void {
    caller.running--;
    this.#running--;
    this.#forgetIdle(name, caller);
    this.#next();
  }

  /** Only callers that have something under way or waiting are known. */
  #forgetIdle(name: string, { running, waiting }: Caller): void {
    if (running === 0 && waiting.length === 0) this.#callers.delete(name);
  }

  #mayStart({ running }: Caller): boolean {
    return this.#running < this.#options.concurrency && running < this.#options.perCaller;
  }

  #begin(caller: Caller): void {
    caller.running++;
    this.#running++;
  }

  #turn(name: string, caller: Caller): Promise<void> {
    const { waitingPerCaller, waiting, patience } = this.#options;
    if (caller.waiting.length >= waitingPerCaller)
      throw new RateLimited(1, 'Too many requests at once. Try again later.');
    if (this.#waiting >= waiting) throw new Unavailable('The server is busy. Try again later.');
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(task.timer);
        this.#waiting--;
      };
      const task: Task = {
        start: () => {
          leave();
          this.#begin(caller);
          resolve();
        },
        refuse: () => {
          caller.waiting.splice(caller.waiting.indexOf(task), 1);
          leave();
          this.#forgetIdle(name, caller);
          reject(new Unavailable('The server is busy. Try again later.'));
        },
        timer: setTimeout(() => task.refuse(), patience),
      };
      this.#callers.set(name, caller);
      this.#waiting++;
      caller.waiting.push(task);
    });
  }

  /** How many callers are known. */
  get callers(): number {
    return this.#callers.size;
  }

  /** Starts what may start now: one of each caller, then again. */
  #next(): void {
    for (const [name, caller] of this.#callers) {
      if (this.#running >= this.#options.concurrency) return;
      const task = this.#mayStart(caller) ? caller.waiting.shift() : undefined;
      if (!task) continue;
      // Behind all others, as it had its turn.
      this.#callers.delete(name);
      this.#callers.set(name, caller);
      task.start();
    }
  }
}
