import { parentPort } from 'node:worker_threads';
import type { PatternWork } from '#src/domain/repository/push_rules/patterns.ts';

/* The thread that compares texts of pushes with the regular expressions of push rules, one push after another. */

parentPort?.on('message', (work: PatternWork[]) => parentPort?.postMessage(work.map(matches)));
parentPort?.postMessage('ready');

/** Whether each text matches; null for an invalid expression. */
function matches({ source, flags, texts }: PatternWork): boolean[] | null {
  try {
    const pattern = new RegExp(source, flags);
    return texts.map((text) => pattern.test(text));
  } catch {
    return null;
  }
}
