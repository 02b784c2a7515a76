import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/* Loaded into the server before everything else: tells on its standard error when its event loop stood still, and how much memory it has. */

/** Milliseconds of CPU time in one turn of the event loop that are told, and between two looks. */
const STALL = 150;
const PACE = 10;

if (isMainThread && process.argv.includes('serve')) {
  let last = cpu();
  // Time of this thread's own work: on a busy machine turns take longer, which is not the server's fault.
  setInterval(() => {
    const now = cpu();
    if (now - last > STALL) tell({ stall: Math.round(now - last) });
    last = now;
  }, PACE).unref();
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    tell({ memory: { heap: mega(heapUsed), external: mega(external), rss: mega(rss) } });
  });
}

function tell(line: object): void {
  writeSync(2, `${JSON.stringify({ campaign: line })}\n`);
}

function mega(bytes: number): number {
  return Math.round(bytes / 1e6);
}

function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
