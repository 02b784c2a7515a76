import type { Worker } from 'node:worker_threads';
import { FairQueue, type FairQueueOptions } from './fair_queue.ts';
import { startThread } from './thread.ts';

/** The work came to no end in its time, or took too much memory. */
export class Overrun extends Error {}

export interface DeadlineThreadOptions {
  /** Milliseconds that one piece of work may take, once the thread has it. */
  deadline: number;
  /** Megabytes of its heap. */
  memory: number;
}

/** One piece of work at a time; callers take turns. */
const QUEUE: FairQueueOptions = { concurrency: 1, perCaller: 1, waitingPerCaller: 50, waiting: 1000, patience: 60_000 };
/** Milliseconds until a new thread must be ready, and until one that has nothing to do ends. */
const START = 20_000;
const IDLE = 30_000;

/**
 * A thread for work whose length its input decides, so that the event loop need not wait: it is ended when its time is up.
 * It starts when it is needed. The script answers each message with one of its own, after a first one that says it is ready.
 */
export class DeadlineThread<Input, Output> {
  readonly #script: URL;
  readonly #options: DeadlineThreadOptions;
  readonly #queue = new FairQueue(QUEUE);
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
   * @throws Overrun, RateLimited, Unavailable
   */
  run(caller: string, input: Input): Promise<Output> {
    return this.#queue.run(caller, async () => {
      clearTimeout(this.#idle);
      const worker = this.#worker ?? (await this.#start());
      worker.ref();
      try {
        worker.postMessage(input);
        return (await message(worker, this.#options.deadline)) as Output;
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
      await message(worker, START);
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

/** The next message of a thread. Throws Overrun when it does not come in time, or the thread ends. */
function message(worker: Worker, milliseconds: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      settle();
    };
    const onMessage = (value: unknown) => finish(() => resolve(value));
    const onError = (error: unknown) => finish(() => reject(new Overrun(`The thread failed: ${error}`)));
    const onExit = () => finish(() => reject(new Overrun('The thread ended early')));
    const timer = setTimeout(() => finish(() => reject(new Overrun(`It took over ${milliseconds} ms`))), milliseconds);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
