import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { measureMemory } from 'node:vm';

/** When memory is given back; in milliseconds and bytes. */
interface Collection {
  /** For how long nobody has asked for anything when it is done for the first time: less than between the checks of a balancer. */
  after?: number;
  /** And later, as somebody may come back while it stops everything. */
  afterWork?: number;
  /** How much the process has to have grown since the last time. */
  growth?: number;
  /** Between two looks. The first one comes when what the start began has come to its end. */
  pause?: number;
}

/** What V8 offers with `--expose-gc`, as bin/heap.js has it. */
type Collect = (options: { type: 'major' | 'minor'; execution: 'sync'; flavor: 'last-resort' | 'regular' }) => void;

const offered = globalThis.gc as Collect | undefined;

/**
 * Gives memory back when nobody has asked for anything for a while, as that stops everything for some tenths of a second: what
 * only the start needed (source texts, and room in which young objects were), a quarter of all; later what work has left
 * behind, which V8 keeps as long as it is asked for nothing. A server that is never quiet needs that room anyway.
 *
 * @param quiet milliseconds since the last request was answered, 0 while one is under way
 * @returns a function that ends the looking
 */
export function collectWhenQuiet(
  quiet: () => number,
  collect: Collect | undefined = offered,
  { after = 400, afterWork = 10_000, growth = 48 * 1024 * 1024, pause = 5_000 }: Collection = {},
  size: () => number = () => process.memoryUsage.rss(),
): () => void {
  if (!collect) return () => undefined;
  /** What the process took after the last time. */
  let known: number | null = null;
  const look = () => {
    if (quiet() < (known === null ? after : afterWork)) return;
    if (known !== null && size() - known < growth) return;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    known = size();
  };
  const timer = setInterval(look, pause).unref();
  return () => clearInterval(timer);
}

/** When old objects are collected; in bytes and milliseconds. */
interface Collecting {
  /** How much they have to have grown since the last time. */
  growth?: number;
  /** Between two looks. */
  pause?: number;
  /** Between two collections, each of which takes a tenth of a second of CPU. */
  apart?: number;
}

/**
 * Collects old objects while the server works. V8 lets them lie until there are some 190 MB, as collections that come often make
 * everything slower (bin/heap.js); much of that is only left from the first requests of a kind. To measure its memory V8 marks
 * what is alive, mostly in other threads, and then stops everything for a few milliseconds to give the rest back.
 *
 * @param size bytes of old objects, dead ones included
 * @returns a function that ends the looking
 */
export function collectBesideWork(
  collect: () => Promise<unknown> = () => measureMemory({ mode: 'summary', execution: 'eager' }),
  { growth = 8 * 1024 * 1024, pause = 1_000, apart = 10_000 }: Collecting = {},
  size: () => number = sizeOfOld,
): () => void {
  let known = Number.POSITIVE_INFINITY;
  let next = 0;
  const look = async () => {
    const now = size();
    known = Math.min(known, now);
    if (now - known < growth || performance.now() < next) return;
    next = performance.now() + apart;
    await collect().catch(() => undefined);
    known = size();
  };
  const timer = setInterval(look, pause).unref();
  return () => clearInterval(timer);
}

function sizeOfOld(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'));
  return spaces.reduce((sum, { space_used_size: size }) => sum + size, 0);
}

/** When buffers are freed; in bytes and milliseconds. */
interface Freeing {
  /** How much the buffers have to have grown since the last time. */
  growth?: number;
  /** Between two looks while somebody asks for something. */
  pause?: number;
  /** And while nobody does. */
  pauseWhenQuiet?: number;
}

/**
 * Frees the buffers that streams have passed on. V8 lets them lie until they hold some sixty megabytes, of which the C library
 * keeps much for good. As they are young, it is enough to collect young objects, which takes a few milliseconds.
 *
 * @param quiet milliseconds since the last request was answered, 0 while one is under way
 * @param external bytes that objects of the heap hold outside of it
 * @returns a function that ends the looking
 */
export function freeBuffers(
  quiet: () => number,
  collect: Collect | undefined = offered,
  { growth = 8 * 1024 * 1024, pause = 10, pauseWhenQuiet = 100 }: Freeing = {},
  external: () => number = () => getHeapStatistics().external_memory,
): () => void {
  if (!collect) return () => undefined;
  /** What was left after the last time, or became less since. */
  let known = external();
  let timer: NodeJS.Timeout;
  const look = () => {
    const size = external();
    if (size - known < growth) known = Math.min(known, size);
    else {
      collect({ type: 'minor', execution: 'sync', flavor: 'regular' });
      known = external();
    }
    timer = setTimeout(look, quiet() > pauseWhenQuiet ? pauseWhenQuiet : pause).unref();
  };
  timer = setTimeout(look, pauseWhenQuiet).unref();
  return () => clearTimeout(timer);
}
