import { parentPort } from 'node:worker_threads';
import {
  type Highlighting,
  type HighlightingApart,
  highlightApart,
  highlightLines,
} from '#src/domain/repository/highlight/lines.ts';

/* The thread that highlights files, one after another. */

parentPort?.on('message', (given: Highlighting | HighlightingApart) => {
  parentPort?.postMessage('texts' in given ? highlightApart(given) : highlightLines(given));
});
parentPort?.postMessage('ready');
