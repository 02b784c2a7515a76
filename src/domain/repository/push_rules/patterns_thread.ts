import { parentPort } from 'node:worker_threads';
import type { PatternWork } from '#src/domain/repository/push_rules/patterns.ts';

/* The thread that compares texts of pushes with the regular expressions of push rules, one push after another. */

parentPort?.on('message', (work: PatternWork[]) => parentPort?.postMessage(work.map(matches)));
parentPort?.postMessage('ready');

/** Whether each text matches. */
function matches({ source, flags, texts }: PatternWork): boolean[] {
  const pattern = new RegExp(source, flags);
  return texts.map((text) => pattern.test(text));
}
