import { parentPort } from 'node:worker_threads';
import { type Answer, jobs, type Request } from './jobs.ts';

/* The thread in which texts are compared: answers one request after another. */

parentPort?.on('message', (request: Request) => {
  parentPort?.postMessage(answer(request));
});

function answer(request: Request): Answer {
  try {
    if (request.job === 'patches') return { output: jobs.patches(request.input) };
    if (request.job === 'renames') return { output: jobs.renames(request.input) };
    return { output: jobs.merge(request.input) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
