import { collectDefaultMetrics } from 'prom-client';
import { observePrograms } from '#src/git/program/observe.ts';
import { observeGit } from '#src/platform/observability/metrics/git.ts';
import { registry } from '#src/platform/observability/metrics/registry.ts';

let isWatching = false;

/**
 * Begins to watch what the process itself tells (event loop, heap, garbage collection, processor, descriptors), and the git
 * programs that it starts.
 */
export function watchProcess(): void {
  if (isWatching) return;
  isWatching = true;
  collectDefaultMetrics({ register: registry });
  observePrograms(observeGit);
}
