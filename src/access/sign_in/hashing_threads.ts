import type { Worker } from 'node:worker_threads';
import type { HashRequest } from '#src/access/sign_in/hashing_thread.ts';
import { startThread } from '#src/git/thread.ts';

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const EXTENSION = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
const SCRIPT = new URL(`./hashing_thread.${EXTENSION}`, import.meta.url);

/** Of the thread's own heap; what scrypt takes is not in it. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };
/** Milliseconds after which a thread without work ends. */
const IDLE = 30_000;
/** Milliseconds that one hash may take: many times what it takes on a slow machine. */
const DEADLINE = 30_000;

const idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];

/**
 * Hashes in a thread of its own, which is started when none is idle; the caller limits how many run at a time. Idle threads
 * do not keep the process alive. Throws Error when the thread fails.
 */
export async function hashInThread(request: HashRequest): Promise<Buffer> {
  const worker = take();
  try {
    const hash = await ask(worker, request);
    rest(worker);
    return Buffer.from(hash);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function take(): Worker {
  const rested = idle.pop();
  clearTimeout(rested?.timer);
  const worker = rested?.worker ?? start();
  worker.ref();
  return worker;
}

function start(): Worker {
  const worker = startThread(SCRIPT, LIMITS);
  // One that ends while nobody waits for it is not to be used again.
  return worker.on('error', () => drop(worker)).on('exit', () => drop(worker));
}

function rest(worker: Worker): void {
  worker.unref();
  const timer = setTimeout(() => {
    drop(worker);
    void worker.terminate();
  }, IDLE).unref();
  idle.push({ worker, timer });
}

function drop(worker: Worker): void {
  const at = idle.findIndex((one) => one.worker === worker);
  if (at >= 0) clearTimeout(idle.splice(at, 1)[0]?.timer);
}

function ask(worker: Worker, request: HashRequest): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const timer = setTimeout(() => reject(new Error('Hashing a password took too long')), DEADLINE);
  const onExit = () => reject(new Error('The thread that hashes passwords ended'));
  worker.on('message', resolve).on('error', reject).on('exit', onExit);
  worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', reject).off('exit', onExit);
  });
}
