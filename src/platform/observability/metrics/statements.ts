import { statements } from '#src/platform/observability/metrics/registry.ts';
import { noteStatement } from '#src/platform/observability/metrics/slow.ts';
import { traced, tracer } from '#src/platform/observability/tracing/tracer.ts';

/** Measures a statement, and makes it a span where traces are wanted: by its text, never by its values. */
export function observeStatement<T>(text: string, run: () => Promise<T>): Promise<T> {
  if (!tracer()) return measured(text, run);
  const [name = ''] = /^\s*\w+/.exec(text) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, 2_000) };
  return traced(name.trim().toUpperCase() || 'SQL', { kind: 'client', attributes }, () => measured(text, run));
}

const succeeded = statements.labels({ outcome: 'ok' });
const failed = statements.labels({ outcome: 'error' });

async function measured<T>(text: string, run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  let outcome = failed;
  try {
    const result = await run();
    outcome = succeeded;
    return result;
  } finally {
    const ms = performance.now() - begun;
    outcome.observe(ms / 1000);
    noteStatement(text, ms);
  }
}

/** What a pool of connections reports about itself. */
interface Pool {
  readonly ended: boolean;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

const pools = new Set<Pool>();

/** Has the connections of a pool counted until it ends. */
export function watchPool<P extends Pool>(pool: P): P {
  for (const known of pools) if (known.ended) pools.delete(known);
  pools.add(pool);
  return pool;
}

/** The connections of this process: total, idle, and the number of callers that wait for one. */
export function countConnections(): { total: number; idle: number; waiting: number; limit: number } {
  const counts = { total: 0, idle: 0, waiting: 0, limit: 0 };
  for (const pool of pools) {
    if (pool.ended) pools.delete(pool);
    else {
      counts.total += pool.totalCount;
      counts.idle += pool.idleCount;
      counts.waiting += pool.waitingCount;
      counts.limit += pool.options.max;
    }
  }
  return counts;
}
