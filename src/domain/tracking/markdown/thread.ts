import { parentPort } from 'node:worker_threads';
import { type Rendering, renderHtml } from '#src/domain/tracking/markdown/html.ts';

/* The thread that renders texts that users wrote, one after another. */

parentPort?.on('message', (rendering: Rendering) => {
  parentPort?.postMessage({ html: renderHtml(rendering) });
});
parentPort?.postMessage('ready');
