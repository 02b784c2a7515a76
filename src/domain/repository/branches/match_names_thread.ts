import { parentPort } from 'node:worker_threads';

/* The thread that matches names of branches with patterns of callers, one request after another. */

parentPort?.on('message', ({ source, flags, names }: { source: string; flags: string; names: string[] }) => {
  parentPort?.postMessage({ matching: matching(source, flags, names) });
});
parentPort?.postMessage('ready');

/** The indexes of the names that match; null for an invalid pattern. */
function matching(source: string, flags: string, names: readonly string[]): number[] | null {
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, flags);
  } catch {
    return null;
  }
  return names.flatMap((name, at) => (pattern.test(name) ? [at] : []));
}
