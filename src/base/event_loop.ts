/** Milliseconds of work in one turn of the event loop, of all walks together. */
const SLICE = 8;

const waiting: (() => void)[] = [];
/** When the work in this turn began; null while there is no work. */
let began: number | null = null;

/**
 * To be awaited between the steps of long work in this process. Reads that are answered at once never yield to other work:
 * after some milliseconds the work goes on in another turn of the event loop, and of several works one in each turn.
 */
export async function yieldToEventLoop(): Promise<void> {
  const now = performance.now();
  if (began === null) {
    began = now;
    setImmediate(next);
  } else if (now - began >= SLICE) await new Promise<void>((resolve) => waiting.push(resolve));
}

function next(): void {
  const resume = waiting.shift();
  began = resume === undefined ? null : performance.now();
  if (resume === undefined) return;
  setImmediate(next);
  resume();
}
