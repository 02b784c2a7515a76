import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { GitError } from '../errors.ts';
import type { Answer, Jobs } from './jobs.ts';

/** A comparison took longer than it may. */
export class DiffTimeout extends GitError {
  override name = 'DiffTimeout';
}

interface Task {
  request: { job: keyof Jobs; input: unknown };
  timeout: number;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
}

/** In a checkout the worker is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

/** The memory of a thread; V8 would let it grow to half of the machine's before it cleans up. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

/** Threads that compare texts, so that the event loop need not. They start when needed and end when idle. */
export class DiffPool {
  readonly #size: number;
  readonly #idleMs: number;
  readonly #waiting: Task[] = [];
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  #running = 0;

  constructor(size = Math.max(1, Math.min(4, availableParallelism() - 1)), idleMs = 30_000) {
    this.#size = size;
    this.#idleMs = idleMs;
  }

  /** Does a job in a thread. Throws DiffTimeout when that takes longer than `timeout` milliseconds once it has begun. */
  run<J extends keyof Jobs>(job: J, input: Jobs[J]['input'], timeout: number): Promise<Jobs[J]['output']> {
    return new Promise((resolve, reject) => {
      const take = (output: unknown) => resolve(output as Jobs[J]['output']);
      this.#waiting.push({ request: { job, input }, timeout, resolve: take, reject });
      this.#next();
    });
  }

  /** Starts a thread, if none is there, for a job that is to come. */
  prepare(): void {
    if (this.#running === 0 && this.#idle.length === 0) this.#rest(this.#take());
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#running >= this.#size) return;
    const task = this.#waiting.shift();
    if (task === undefined) return;
    this.#running++;
    void this.#do(task).finally(() => {
      this.#running--;
      this.#next();
    });
  }

  async #do({ request, timeout, resolve, reject }: Task): Promise<void> {
    const worker = this.#take();
    try {
      const answer = await ask(worker, request, timeout);
      this.#rest(worker);
      if ('error' in answer) reject(new GitError(`Comparing failed: ${answer.error}`));
      else resolve(answer.output);
    } catch (error) {
      await worker.terminate();
      reject(error instanceof Error ? error : new GitError(String(error)));
    }
  }

  #take(): Worker {
    const rested = this.#idle.pop();
    clearTimeout(rested?.timer);
    const worker = rested?.worker ?? new Worker(SCRIPT, { execArgv: [], resourceLimits: LIMITS });
    worker.ref();
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((one) => one.worker === worker);
      if (at >= 0) this.#idle.splice(at, 1);
      void worker.terminate();
    }, this.#idleMs).unref();
    this.#idle.push({ worker, timer });
  }
}

function ask(worker: Worker, request: unknown, timeout: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new DiffTimeout('Comparing took too long'))), timeout);
    const onMessage = (answer: Answer) => finish(() => resolve(answer));
    const onError = (error: Error) => finish(() => reject(new GitError(`Comparing failed: ${error.message}`)));
    const onExit = () => finish(() => reject(new GitError('Comparing ended early')));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      settle();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(request);
  });
}

/** The one pool of the process. */
export const diffPool = new DiffPool();
