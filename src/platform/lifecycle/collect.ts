/** Milliseconds without a request after which nobody is taken to wait: less than between the checks of a balancer. */
const QUIET = 400;
/** Milliseconds between two looks. The first one comes when what the start began has come to its end. */
const PAUSE = 5_000;

/** What V8 offers with `--expose-gc`, as bin/heap.js has it. */
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives the memory back that only the start needed (source texts, and room in which young objects were), a quarter of all:
 * once, when nobody has asked for anything for a while, as it stops everything for some tenths of a second. A server that is
 * never quiet needs that room anyway.
 *
 * @param quiet milliseconds since the last request was answered, 0 while one is under way
 * @returns ends the waiting
 */
export function collectOnceQuiet(
  quiet: () => number,
  collect: Collect | undefined = globalThis.gc as Collect | undefined,
  { after = QUIET, pause = PAUSE }: { after?: number; pause?: number } = {},
): () => void {
  if (!collect) return () => undefined;
  const timer = setInterval(() => {
    if (quiet() < after) return;
    clearInterval(timer);
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }, pause);
  timer.unref();
  return () => clearInterval(timer);
}
