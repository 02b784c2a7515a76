import { setImmediate } from 'node:timers';
import { isMainThread } from 'node:worker_threads';

// Loaded into a server before anything else: has it collect its garbage when it is sent SIGUSR2. Plain JavaScript, as what
// reads TypeScript takes memory that the server does without once its own code is compiled.

/** Everything, and V8 gives the pages back that it keeps for later. */
const ALL = { type: 'major', execution: 'sync', flavor: 'last-resort' };

if (isMainThread) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.(ALL);
    // What the first one released from its last holders.
    setImmediate(() => globalThis.gc?.(ALL));
  });
}
