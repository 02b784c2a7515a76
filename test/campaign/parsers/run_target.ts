import { Worker } from 'node:worker_threads';
import { MAX_INPUT } from './target.ts';
import { targetNamed } from './targets.ts';

/** What the thread begins with. */
export interface Begin {
  /** Of the target. */
  name: string;
  seed: number;
  /** How many inputs are tried at most, and for how long. */
  inputs: number;
  seconds: number;
  /** The input that is being read: a number that changes with each second, or 0; its length; its bytes. */
  shared: SharedArrayBuffer;
  /** Whether time is a find: on a machine that does something else at the same time it may still be one of the machine. */
  withTime: boolean;
}

/** An input that a parser does not deal with as it should. */
export interface Find {
  target: string;
  kind: 'exception' | 'broken' | 'slow' | 'memory' | 'hang';
  message: string;
  input: Uint8Array;
  /** Follows from the input. */
  id: string;
}

export interface Progress {
  tried: number;
  corpus: number;
  blocks: number;
}

export interface Outcome extends Progress {
  target: string;
  finds: Find[];
  seconds: number;
  /** Characters of our sources that were run, of how many there are in the files that were reached. */
  reached: readonly { file: string; covered: number; of: number }[];
}

export interface RunOptions extends Omit<Begin, 'shared' | 'name'> {
  found?(find: Find): void;
}

/** Seconds after which an input counts as never read to its end. */
const PATIENCE = 20;

const SCRIPT = new URL('./worker.ts', import.meta.url);
const AGAIN = new URL('./again.ts', import.meta.url);

/** What reading an input takes in a thread that does nothing else: CPU time, the least of several, and memory. */
export interface Cost {
  milliseconds: number;
  megabytes: number;
}

/** Reads an input several times in a thread of its own; null where that does not end. */
export async function measure(name: string, input: Uint8Array): Promise<Cost | null> {
  const worker = new Worker(AGAIN, { workerData: { name, input }, execArgv: [] });
  const { promise, resolve } = Promise.withResolvers<Cost | null>();
  worker.on('message', resolve).on('error', () => resolve(null));
  const timer = setTimeout(() => resolve(null), 6 * PATIENCE * 1000);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** Whether a find stands when the input is read by itself: time and memory may be those of watching. */
async function confirmed(find: Find, limits: { milliseconds: number; megabytes: number }): Promise<Find | null> {
  if (find.kind !== 'slow' && find.kind !== 'memory') return find;
  const cost = await measure(find.target, find.input);
  if (cost === null) return find;
  const isReal = find.kind === 'slow' ? cost.milliseconds > limits.milliseconds : cost.megabytes > limits.megabytes;
  const { milliseconds, megabytes } = cost;
  return isReal
    ? { ...find, message: `${milliseconds} ms of CPU time, ${megabytes} MB for ${find.input.length} bytes` }
    : null;
}

/** Tries inputs on one target in threads of its own: another begins where an input ended the first. */
export async function runTarget(name: string, options: RunOptions): Promise<Outcome> {
  const { found, ...begin } = options;
  const began = performance.now();
  const outcome: Outcome = { target: name, tried: 0, corpus: 0, blocks: 0, finds: [], seconds: 0, reached: [] };
  const { milliseconds = 50, megabytes = 50 } = await targetNamed(name);
  const looks: Promise<void>[] = [];
  const noted = (find: Find) => {
    looks.push(
      confirmed(find, { milliseconds, megabytes }).then((real) => {
        const isOneOfMany = outcome.finds.filter(({ kind }) => kind === find.kind).length >= 3 && find.kind === 'slow';
        if (real === null || isOneOfMany) return;
        outcome.finds.push(real);
        found?.(real);
      }),
    );
  };
  for (let round = 0; round < 20; round++) {
    const seconds = options.seconds - (performance.now() - began) / 1000;
    const inputs = options.inputs - outcome.tried;
    if (seconds <= 0 || inputs <= 0) break;
    const shared = new SharedArrayBuffer(8 + MAX_INPUT);
    const ended = await runOnce({ ...begin, name, seed: options.seed + round * 7919, inputs, seconds, shared }, noted);
    outcome.tried += ended.tried;
    outcome.corpus = Math.max(outcome.corpus, ended.corpus);
    outcome.blocks = Math.max(outcome.blocks, ended.blocks);
    if (ended.reached.length > 0) outcome.reached = ended.reached;
    if (ended.whole) break;
  }
  outcome.seconds = (performance.now() - began) / 1000;
  await Promise.all(looks);
  return outcome;
}

async function runOnce(begin: Begin, noted: (find: Find) => void) {
  const state = new Int32Array(begin.shared, 0, 2);
  const worker = new Worker(SCRIPT, {
    workerData: begin,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const ended = { tried: 0, corpus: 0, blocks: 0, reached: [] as Outcome['reached'], whole: false };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const current = (kind: Find['kind'], message: string) => {
    const input = new Uint8Array(begin.shared, 8, state[1] ?? 0).slice();
    noted({ target: begin.name, kind, message, input, id: `${kind}${Date.now().toString(36)}` });
  };
  worker.on('message', (message: { find?: Find; progress?: Progress; end?: Progress & Pick<Outcome, 'reached'> }) => {
    if (message.find) noted(message.find);
    Object.assign(ended, message.progress, message.end);
    if (message.end) {
      ended.whole = true;
      resolve();
    }
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (Atomics.load(state, 0) === 0) return reject(error);
    current(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'exception', error.stack ?? String(error));
    resolve();
  });
  worker.on('exit', () => resolve());
  let [last, since] = [0, performance.now()];
  const watch = setInterval(() => {
    const at = Atomics.load(state, 0);
    if (at === 0 || at !== last) [last, since] = [at, performance.now()];
    else if (performance.now() - since > PATIENCE * 1000) {
      current('hang', `not done after ${PATIENCE} seconds`);
      resolve();
    }
  }, 500);
  try {
    await promise;
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
  return ended;
}
