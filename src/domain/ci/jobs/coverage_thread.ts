import { parentPort } from 'node:worker_threads';
import { findCoverage } from '#src/domain/ci/jobs/find_coverage.ts';

/* The thread that runs user-written patterns, one request after another. */

parentPort?.on('message', ({ pattern, text }: { pattern: string; text: string }) => {
  parentPort?.postMessage({ coverage: findCoverage(pattern, text) });
});
parentPort?.postMessage('ready');
