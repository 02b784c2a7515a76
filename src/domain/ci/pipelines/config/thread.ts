import { parentPort } from 'node:worker_threads';
import { type PlanRequest, planOf } from '#src/domain/ci/pipelines/config/plan.ts';

/* The thread that parses user-written files, one request after another. */

parentPort?.on('message', (request: PlanRequest) => {
  parentPort?.postMessage(planOf(request));
});
parentPort?.postMessage('ready');
