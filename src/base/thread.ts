import { Worker } from 'node:worker_threads';

/** Work in a thread took more CPU time or memory than it may, or failed, which is due to its input. */
export class Overrun extends Error {
  override name = 'Overrun';
}

/** Work in a thread was not done in time, which may be due to a busy machine. */
export class ThreadLate extends Error {
  override name = 'ThreadLate';
}

export interface ThreadLimits {
  /** How many there are at most; further work waits, whoever wants it. */
  threads: number;
  /** Megabytes of the heap of each. */
  memory: number;
  /** Milliseconds for a piece of work, with its wait and the start of a thread. */
  milliseconds: number;
  /** Milliseconds of CPU time for a piece of work, where its input decides how long it takes. */
  cpuTime?: number;
  /** Milliseconds after which a thread ends that has nothing to do. */
  idle: number;
}

/**
 * Threads that run a script, for work that would hold up the event loop: each for one piece of work after another. They start when
 * they are needed and end when they are idle, or their work takes too much. The script sends a message when it is ready, and
 * then one for each that it is sent.
 */
export class Threads<Input, Output> {
  readonly #script: URL;
  readonly #limits: ThreadLimits;
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(script: URL, limits: ThreadLimits) {
    this.#script = script;
    this.#limits = limits;
  }

  /** The script's answer to the input. Throws Overrun, ThreadLate. */
  async run(input: Input, milliseconds = this.#limits.milliseconds): Promise<Output> {
    const signal = AbortSignal.timeout(Math.max(1, Math.floor(milliseconds)));
    if (this.#busy >= this.#limits.threads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy++;
    try {
      const worker = this.#take() ?? (await this.#start(signal));
      try {
        const answer = await this.#ask(worker, input, signal);
        this.#rest(worker);
        return answer;
      } catch (error) {
        void worker.terminate();
        throw error;
      }
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }

  #take(): Worker | undefined {
    const rested = this.#idle.pop();
    clearTimeout(rested?.timer);
    rested?.worker.ref();
    return rested?.worker;
  }

  async #start(signal: AbortSignal): Promise<Worker> {
    const resourceLimits = { maxOldGenerationSizeMb: this.#limits.memory, maxYoungGenerationSizeMb: 16 };
    // Under `node --watch` threads would also send the names of the modules that they load, as messages like any other.
    const { WATCH_REPORT_DEPENDENCIES: _reports, ...env } = process.env;
    const worker = new Worker(this.#script, { execArgv: [], resourceLimits, env });
    worker.on('error', () => this.#drop(worker)).on('exit', () => this.#drop(worker));
    await message(worker, signal).catch((error) => {
      void worker.terminate();
      throw error;
    });
    return worker;
  }

  async #ask(worker: Worker, input: Input, signal: AbortSignal): Promise<Output> {
    const { cpuTime } = this.#limits;
    const before = cpuTime === undefined ? 0 : await cpuTimeOf(worker);
    const answer = message(worker, signal);
    worker.postMessage(input);
    return (await (cpuTime === undefined ? answer : within(cpuTime, worker, before, answer))) as Output;
  }

  #rest(worker: Worker): void {
    worker.unref();
    const timer = setTimeout(() => {
      this.#drop(worker);
      void worker.terminate();
    }, this.#limits.idle).unref();
    this.#idle.push({ worker, timer });
  }

  #drop(worker: Worker): void {
    const at = this.#idle.findIndex((rested) => rested.worker === worker);
    if (at >= 0) clearTimeout(this.#idle.splice(at, 1)[0]?.timer);
  }
}

/** Milliseconds of CPU time that a thread has had; 0 where Node does not report it. */
async function cpuTimeOf(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== 'function') return 0;
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1000;
}

/** The answer of a thread. Throws Overrun once it has had more CPU time than the limit; the first look comes when that may be. */
async function within(limit: number, worker: Worker, before: number, answer: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<never>((_resolve, reject) => {
    const look = async () => {
      const used = (await cpuTimeOf(worker)) - before;
      if (used >= limit) reject(new Overrun(`It took over ${limit} ms`));
      else if (timer !== undefined) timer = setTimeout(tryLook, Math.max(MIN_POLL_INTERVAL_MS, limit - used));
    };
    // A thread that has ended has told so itself.
    const tryLook = () => void look().catch(() => undefined);
    timer = setTimeout(tryLook, limit);
  });
  try {
    return await Promise.race([answer, overrun]);
  } finally {
    clearTimeout(timer);
    timer = undefined;
  }
}

/** Milliseconds between looks at how much time a thread has had. */
const MIN_POLL_INTERVAL_MS = 20;

/** The next message of a thread. Throws ThreadLate when the signal comes first, and Overrun when the thread ends. */
function message(worker: Worker, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onError = (error: unknown) => reject(new Overrun('The thread failed', { cause: error }));
  const onExit = () => reject(new Overrun('The thread ended early'));
  const onLate = () => reject(new ThreadLate('The thread took too long'));
  if (signal.aborted) onLate();
  signal.addEventListener('abort', onLate);
  worker.on('message', resolve).on('error', onError).on('exit', onExit);
  return promise.finally(() => {
    signal.removeEventListener('abort', onLate);
    worker.off('message', resolve).off('error', onError).off('exit', onExit);
  });
}
