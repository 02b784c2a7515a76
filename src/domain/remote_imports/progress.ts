import { LEFT_BEHIND } from '#src/domain/remote_imports/base/source.ts';
import type { PhaseProgress } from '#src/domain/remote_imports/staging.ts';

/** How much of a kind was fetched. */
export interface ImportCount {
  kind: string;
  fetched: number;
  /** Null where the source does not tell. */
  total: number | null;
}

/** The counts of phases, in the order in which they were begun; what does not come along is none of them. */
export function countsOf(phases: ReadonlyMap<string, PhaseProgress>): ImportCount[] {
  return [...phases]
    .filter(([kind]) => kind !== LEFT_BEHIND)
    .map(([kind, { fetched, total, next }]) => ({
      kind,
      fetched,
      total: next === null ? fetched : total === null ? null : Math.max(total, fetched),
    }));
}

/**
 * When an import is likely to end, by how fast it was so far; null where that cannot be told.
 *
 * @param now milliseconds since 1970
 */
export function estimatedEnd(counts: readonly ImportCount[], startedAt: Date | null, now: number): Date | null {
  const known = counts.filter(({ total }) => total !== null);
  const fetched = known.reduce((sum, one) => sum + one.fetched, 0);
  const total = known.reduce((sum, one) => sum + (one.total ?? 0), 0);
  if (startedAt === null || fetched === 0 || total <= fetched) return null;
  return new Date(now + ((now - startedAt.getTime()) * (total - fetched)) / fetched);
}
