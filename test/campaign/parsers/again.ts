import { parentPort, workerData } from 'node:worker_threads';
import type { Cost } from './run_target.ts';
import { targetNamed } from './targets.ts';

/* The thread that reads one input by itself: first the seeds, so that everything is loaded and compiled. */

const { name, input }: { name: string; input: Uint8Array } = workerData;
const target = await targetNamed(name);
for (let round = 0; round < 3; round++) for (const seed of target.seeds) await read(Buffer.from(seed as Uint8Array));
const rss = process.memoryUsage.rss();
let least = Infinity;
let most = 0;
for (let round = 0; round < 4; round++) {
  const before = cpu();
  await read(Buffer.from(input));
  least = Math.min(least, cpu() - before);
  if (round === 0) most = process.memoryUsage.rss() - rss;
}
parentPort?.postMessage({ milliseconds: Math.round(least), megabytes: Math.round(most / 1e6) } satisfies Cost);

async function read(bytes: Buffer): Promise<void> {
  try {
    await target.read(bytes);
  } catch {
    // Errors are found elsewhere.
  }
}

function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
