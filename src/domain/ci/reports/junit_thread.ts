import { parentPort } from 'node:worker_threads';
import { parseJunit } from '#src/domain/ci/reports/junit.ts';

/* The thread that reads reports, one after another. */

parentPort?.on('message', (packed: Uint8Array) => {
  parentPort?.postMessage(parseJunit(packed));
});
parentPort?.postMessage('ready');
