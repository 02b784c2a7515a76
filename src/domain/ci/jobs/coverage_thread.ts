import { parentPort } from 'node:worker_threads';
import { findCoverage } from '#src/domain/ci/jobs/find_coverage.ts';

/* The thread in which patterns are tried that anybody writes: answers one after another. */

parentPort?.on('message', ({ pattern, text }: { pattern: string; text: string }) => {
  parentPort?.postMessage({ coverage: findCoverage(pattern, text) });
});
parentPort?.postMessage('ready');
