import { Agent } from 'node:http';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, send } from '../load.ts';

/* A process that asks a server all the time, as others would: how it is every ten milliseconds, and for a project. */

/** What others met since they were asked last, in milliseconds. */
export interface Seen {
  /** The longest wait for `/-/liveness`. */
  stall: number;
  /** The 99th percentile of reads of a project. */
  reads: number;
  /** Requests that failed, or were answered with an error. */
  failures: number;
}

const [url = '', project = '', token = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
let stall = 0;
let reads: number[] = [];
let failures = 0;

/** When the read began that is not answered yet. */
let reading = performance.now();

async function ask(path: string): Promise<number> {
  const begun = performance.now();
  try {
    const { status } = await send(url, { path, headers: { 'PRIVATE-TOKEN': token } }, agent);
    if (status >= 300) failures++;
  } catch {
    failures++;
  }
  return performance.now() - begun;
}

setInterval(async () => {
  stall = Math.max(stall, await ask('/-/liveness'));
}, 10);

process.on('message', () => {
  // A read that is not answered yet counts as long as it has taken.
  const sorted = [...reads, performance.now() - reading].sort((left, right) => left - right);
  process.send?.({ stall, reads: percentile(sorted, 0.99), failures } satisfies Seen);
  [stall, reads, failures] = [0, [], 0];
});
process.once('disconnect', () => process.exit(0));
try {
  // What is measured is the server, and not how long this process waits for a core.
  os.setPriority(-10);
} catch {
  // Not everybody may.
}
for (;;) {
  reading = performance.now();
  reads.push(await ask(project));
  await sleep(5);
}
