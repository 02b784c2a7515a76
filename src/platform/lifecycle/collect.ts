/** When memory is given back; in milliseconds and bytes. */
interface Collection {
  /** Quiet time before the first collection: less than between two checks of a balancer. */
  after?: number;
  /** Quiet time before later collections, which delay a request that comes meanwhile. */
  afterWork?: number;
  /** How much the process has to have grown since the last time. */
  growth?: number;
  /** Between two looks. The first one comes when what the start began has come to its end. */
  pause?: number;
}

/** What V8 offers with `--expose-gc`, as bin/heap.cjs has it. */
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const offered = globalThis.gc as Collect | undefined;

/**
 * Gives memory back after a time without requests, as a collection stops everything for some tenths of a second: first the memory
 * that only the start needed (source texts, the young generation), a quarter of all; later the garbage that V8 keeps while idle.
 * A server that is never quiet needs that memory anyway.
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
