import { parentPort } from 'node:worker_threads';
import { type Highlighting, highlightLines } from '#src/domain/repository/highlight/lines.ts';

/* The thread that highlights files, one after another. */

parentPort?.on('message', (given: Highlighting) => {
  parentPort?.postMessage(highlightLines(given));
});
parentPort?.postMessage('ready');
