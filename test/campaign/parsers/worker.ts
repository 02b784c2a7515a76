import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { randomFrom } from '../../support/random_documents.ts';
import { Coverage } from './coverage.ts';
import { Mutator } from './mutate.ts';
import type { Begin, Find, Progress } from './run_target.ts';
import { Broken, MAX_INPUT, type Target } from './target.ts';
import { targetNamed } from './targets.ts';

/* The thread that tries inputs. The thread that started it sees in shared memory which one it is at, and since when. */

/** Inputs between two looks at the coverage. */
const BATCH = 40;
/** Inputs that are kept. */
const MAX_CORPUS = 4_000;

const { name, seed, inputs, seconds, shared, withTime }: Begin = workerData;
const state = new Int32Array(shared, 0, 2);
const bytes = new Uint8Array(shared, 8);

const target = await targetNamed(name);
const random = randomFrom(seed);
const mutator = new Mutator(random, target);
const coverage = new Coverage();
const corpus: Buffer[] = [];
const told = new Set<string>();
let tried = 0;
let lastRss = 0;
const end = performance.now() + seconds * 1000;

coverage.start();
for (const one of target.seeds) {
  const input = Buffer.from(one as Uint8Array).subarray(0, MAX_INPUT);
  await attempt(input);
  corpus.push(input);
}
coverage.look(true);
let pending: Buffer[] = [];
let lastTold = performance.now();
while (tried < inputs && performance.now() < end) {
  const input = next();
  await attempt(input);
  pending.push(input);
  if (pending.length >= BATCH) await look();
  if (performance.now() - lastTold > 1_000) {
    lastTold = performance.now();
    tell('progress');
  }
}
await look();
coverage.stop();
tell('end');

function tell(kind: 'progress' | 'end'): void {
  const progress: Progress = { tried, corpus: corpus.length, blocks: coverage.blocks };
  parentPort?.postMessage({ [kind]: kind === 'end' ? { ...progress, reached: coverage.reached() } : progress });
}

function next(): Buffer {
  // New inputs are looked at more often than old ones.
  const at = random() < 0.5 ? Math.floor(corpus.length * Math.sqrt(random())) : Math.floor(corpus.length * random());
  const input = corpus[Math.min(at, corpus.length - 1)] ?? Buffer.alloc(0);
  const other = corpus[Math.floor(random() * corpus.length)] ?? Buffer.alloc(0);
  return random() < 0.06 ? mutator.blowUp(input, other) : mutator.mutate(input, other);
}

/** Keeps the inputs of the batch that ran something new; only if any did, they are run again one by one. */
async function look(): Promise<void> {
  const batch = pending;
  pending = [];
  if (!coverage.look(false)) return;
  for (const input of batch) {
    Atomics.store(state, 0, now());
    bytes.set(input);
    state[1] = input.length;
    await read(target, input).catch(() => undefined);
    if (coverage.look(true)) keep(input);
  }
  Atomics.store(state, 0, 0);
}

function keep(input: Buffer): void {
  const kept = Buffer.from(input);
  if (corpus.length < MAX_CORPUS) corpus.push(kept);
  else corpus[Math.floor(random() * corpus.length)] = kept;
}

async function attempt(input: Buffer): Promise<void> {
  bytes.set(input);
  state[1] = input.length;
  Atomics.store(state, 0, now());
  const before = cpu();
  try {
    await read(target, input);
  } catch (error) {
    const fault = error as Error;
    report(fault instanceof Broken ? 'broken' : 'exception', input, fault.stack ?? String(fault));
  }
  const took = cpu() - before;
  // Whether it is slow without being watched, too, is found out elsewhere.
  if (withTime && took > (target.milliseconds ?? 50)) report('slow', input, `${Math.round(took)} ms of CPU time`);
  const rss = withTime && input.length > 1024 ? process.memoryUsage.rss() : 0;
  if (rss - lastRss > (target.megabytes ?? 50) * 1e6 && lastRss > 0) report('memory', input, 'much more memory');
  if (rss > 0) lastRss = rss;
  Atomics.store(state, 0, 0);
  tried++;
}

async function read({ read: run, refusals = [] }: Target, input: Buffer): Promise<void> {
  try {
    const result = run(input);
    if (result instanceof Promise) await result;
  } catch (error) {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error;
  }
}

function report(kind: Find['kind'], input: Buffer, message: string): void {
  const place = kind === 'slow' || kind === 'memory' ? kind : placeOf(message);
  const key = `${kind} ${place}`;
  // What is slow is slow for many reasons.
  const rank =
    kind === 'slow' || kind === 'memory'
      ? Array.from({ length: 12 }, (_, n) => n)
          .map((n) => `${key} ${n}`)
          .find((one) => !told.has(one))
      : key;
  if (rank === undefined || told.has(rank)) return;
  told.add(rank);
  const find: Find = { target: name, kind, message, input: Buffer.from(input), id: idOf(input) };
  parentPort?.postMessage({ find });
}

function idOf(input: Buffer): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 12);
}

/** The first two lines of a stack that are in our code. */
function placeOf(stack: string): string {
  const lines = stack.split('\n').filter((line) => /^\s+at .*\/(src|rest|schema|pages)\//.test(line));
  return lines.length > 0 ? lines.slice(0, 2).join() : (stack.split('\n')[0] ?? '');
}

/** Seconds since this thread began, never 0: that stands for no input. */
function now(): number {
  return 1 + Math.floor(performance.now() / 1000);
}

/** Milliseconds of CPU time of this thread. */
function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
