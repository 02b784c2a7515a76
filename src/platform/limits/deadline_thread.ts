import type { Worker } from 'node:worker_threads';
import { startThread } from '#src/git/thread.ts';
import { Unavailable } from '../errors.ts';
import { CallerSemaphore, type SemaphoreLimits } from './caller_semaphore.ts';

/** The work took more CPU time or memory than it may, which is due to its input. */
export class Overrun extends Error {}

export interface DeadlineThreadOptions {
  /** Milliseconds of CPU time that one piece of work may take. */
  deadline: number;
  /** Megabytes of its heap. */
  memory: number;
}

/** One piece of work at a time; callers take turns. */
const QUEUE: SemaphoreLimits = { concurrency: 1, perCaller: 1, waitingPerCaller: 50, waiting: 1000, patience: 60_000 };
/** Milliseconds until a new thread must be ready, and until one that has nothing to do ends. */
const START = 20_000;
const IDLE = 30_000;
/** Milliseconds for one piece of work where other programs keep the machine busy: how much it took says nothing about its input. */
const LONGEST = 20_000;

/**
 * A thread for work whose length its input decides, so that the event loop need not wait: it is ended when its time is up.
 * It starts when it is needed. The script answers each message with one of its own, after a first one that says it is ready.
 */
export class DeadlineThread<Input, Output> {
  readonly #script: URL;
  readonly #options: DeadlineThreadOptions;
  readonly #queue = new CallerSemaphore(QUEUE);
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(script: URL, options: DeadlineThreadOptions) {
    this.#script = script;
    this.#options = options;
  }

  /**
   * The script's answer to the input.
   *
   * @param caller whose turn it takes: nobody waits for more than one piece of anybody else's work
   * @throws Overrun, RateLimited; Unavailable also when the machine is too busy to finish the work
   */
  run(caller: string, input: Input): Promise<Output> {
    return this.#queue.run(caller, async () => {
      clearTimeout(this.#idle);
      const worker = this.#worker ?? (await this.#start());
      worker.ref();
      try {
        const before = await cpuTime(worker);
        const answer = message(worker, LONGEST, () => new Unavailable('The server is busy. Try again later.'));
        worker.postMessage(input);
        return (await within(this.#options.deadline, worker, before, answer)) as Output;
      } catch (error) {
        this.#end();
        throw error;
      } finally {
        worker.unref();
        this.#idle = setTimeout(() => this.#end(), IDLE).unref();
      }
    });
  }

  async #start(): Promise<Worker> {
    const resourceLimits = { maxOldGenerationSizeMb: this.#options.memory, maxYoungGenerationSizeMb: 16 };
    const worker = startThread(this.#script, resourceLimits);
    this.#worker = worker;
    const forget = () => {
      if (this.#worker === worker) this.#worker = null;
    };
    worker.on('error', forget).on('exit', forget);
    try {
      await message(worker, START, () => new Unavailable('The server is busy. Try again later.'));
    } catch (error) {
      this.#end();
      throw error;
    }
    return worker;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}

/** Milliseconds of CPU time that a thread has had; 0 on releases of Node that cannot tell, where only `LONGEST` holds. */
async function cpuTime(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== 'function') return 0;
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1000;
}

/** The answer of a thread. Throws Overrun once it has had more CPU time than the deadline; the first look comes when that may be. */
async function within(deadline: number, worker: Worker, before: number, answer: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<never>((_resolve, reject) => {
    const look = async () => {
      const used = (await cpuTime(worker)) - before;
      if (used >= deadline) reject(new Overrun(`It took over ${deadline} ms`));
      else if (timer !== undefined) timer = setTimeout(tryLook, Math.max(SHORTEST_WAIT, deadline - used));
    };
    // A thread that has ended has told so itself.
    const tryLook = () => void look().catch(() => undefined);
    timer = setTimeout(tryLook, deadline);
  });
  try {
    return await Promise.race([answer, overrun]);
  } finally {
    clearTimeout(timer);
    timer = undefined;
  }
}

/** Milliseconds between looks at how much time a thread has had. */
const SHORTEST_WAIT = 20;

/** The next message of a thread. Throws what `late` makes when it does not come in time, and Overrun when the thread ends. */
function message(worker: Worker, milliseconds: number, late: () => Error): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      settle();
    };
    const onMessage = (value: unknown) => finish(() => resolve(value));
    const onError = (error: unknown) => finish(() => reject(new Overrun(`The thread failed: ${error}`)));
    const onExit = () => finish(() => reject(new Overrun('The thread ended early')));
    const timer = setTimeout(() => finish(() => reject(late())), milliseconds);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
