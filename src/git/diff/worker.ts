import { parentPort } from 'node:worker_threads';
import { structuredPatch } from 'diff';

/* The thread in which long texts are compared: answers one after another. */

parentPort?.on('message', ([before, after]: [string, string]) => {
  parentPort?.postMessage(structuredPatch('', '', before, after, '', '', { context: 3 }).hunks);
});
parentPort?.postMessage('ready');
