import { parentPort } from 'node:worker_threads';
import { planOf } from '#src/domain/ci/pipelines/config/plan.ts';

/* The thread that parses user-written files, one request after another. */

parentPort?.on('message', ({ text, occasion }: Parameters<typeof planOf>[0]) => {
  parentPort?.postMessage(planOf({ text, occasion }));
});
parentPort?.postMessage('ready');
