import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { GitError } from '../errors.ts';
import type { Answer, Jobs } from './jobs.ts';

/** A comparison came to no end, as its thread ran out of memory or time. */
export class DiffAborted extends GitError {
  override name = 'DiffAborted';
}

/** A comparison took longer than it may. */
export class DiffTimeout extends DiffAborted {
  override name = 'DiffTimeout';
}

interface Task {
  request: { job: keyof Jobs; input: unknown };
  /** When it must be done, on the clock of `performance.now()`. */
  deadline: number;
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

  /**
   * Does a job in a thread. Throws DiffTimeout when it is not done after `timeout` milliseconds, waiting for a free thread
   * included, and DiffAborted when the thread runs out of memory.
   */
  run<J extends keyof Jobs>(job: J, input: Jobs[J]['input'], timeout: number): Promise<Jobs[J]['output']> {
    return new Promise((resolve, reject) => {
      const take = (output: unknown) => resolve(output as Jobs[J]['output']);
      const deadline = performance.now() + timeout;
      this.#waiting.push({ request: { job, input }, deadline, resolve: take, reject });
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

  async #do({ request, deadline, resolve, reject }: Task): Promise<void> {
    const left = deadline - performance.now();
    if (left <= 0) return reject(new DiffTimeout('There was no free thread in time'));
    const worker = this.#take();
    try {
      const answer = await ask(worker, request, left);
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
    const worker = rested?.worker ?? this.#start();
    worker.ref();
    return worker;
  }

  #start(): Worker {
    const worker = new Worker(SCRIPT, { execArgv: [], resourceLimits: LIMITS, env: environment() });
    // One that fails while nobody waits for it is not to be used again.
    worker.on('error', () => this.#drop(worker)).on('exit', () => this.#drop(worker));
    return worker;
  }

  #drop(worker: Worker): void {
    const at = this.#idle.findIndex((one) => one.worker === worker);
    if (at >= 0) clearTimeout(this.#idle.splice(at, 1)[0]?.timer);
  }

  #rest(worker: Worker): void {
    worker.unref();
    const timer = setTimeout(() => {
      this.#drop(worker);
      void worker.terminate();
    }, this.#idleMs).unref();
    this.#idle.push({ worker, timer });
  }
}

/** A thread keeps compiled code between starts where the process does so, but does not find out by itself. */
function environment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: path.dirname(directory) };
}

function ask(worker: Worker, request: unknown, timeout: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new DiffTimeout('Comparing took too long'))), timeout);
    const onMessage = (answer: Answer) => finish(() => resolve(answer));
    const onError = (error: Error) => finish(() => reject(new DiffAborted(`Comparing failed: ${error.message}`)));
    const onExit = () => finish(() => reject(new DiffAborted('Comparing ended early')));
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
