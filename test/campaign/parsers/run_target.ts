import { Worker } from 'node:worker_threads';
import { MAX_INPUT } from './target.ts';

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

/** Tries inputs on one target in threads of its own: another begins where an input ended the first. */
export async function runTarget(name: string, options: RunOptions): Promise<Outcome> {
  const { found, ...begin } = options;
  const began = performance.now();
  const outcome: Outcome = { target: name, tried: 0, corpus: 0, blocks: 0, finds: [], seconds: 0, reached: [] };
  const noted = (find: Find) => {
    outcome.finds.push(find);
    found?.(find);
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
  return outcome;
}

async function runOnce(begin: Begin, noted: (find: Find) => void) {
  const state = new Int32Array(begin.shared, 0, 2);
  const worker = new Worker(SCRIPT, { workerData: begin, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } });
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
