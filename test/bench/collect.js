import { renameSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers';
import { writeHeapSnapshot } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

// Loaded into a server before anything else: has it collect its garbage when it is sent SIGUSR2, and write what is in its heap into
// the directory SNAPSHOTS when it is sent SIGWINCH. Plain JavaScript, as what
// reads TypeScript takes memory that the server does without once its own code is compiled.

/** Everything, and V8 gives the pages back that it keeps for later. */
const ALL = { type: 'major', execution: 'sync', flavor: 'last-resort' };

if (isMainThread) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.(ALL);
    // What the first one released from its last holders.
    setImmediate(() => globalThis.gc?.(ALL));
  });
  process.on('SIGWINCH', () => {
    const file = path.join(process.env.SNAPSHOTS, 'heap');
    // Under its name it is complete.
    renameSync(writeHeapSnapshot(`${file}.part`), `${file}.heapsnapshot`);
  });
}
