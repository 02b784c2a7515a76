import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { LimitExceeded } from '#src/git/base/errors.ts';

/** How many commits were made in a span of time. */
export interface CommitActivity {
  /** When the span begins, in UTC: at midnight, for weeks on Monday. */
  from: Date;
  commits: number;
}

/** The spans, and how many of them are counted: as many as of pipelines. */
const INTERVALS = { day: 30, week: 13, month: 12 } as const;
/** Commits that are counted before others get their turn. */
const BATCH_SIZE = 5_000;

export type CommitInterval = keyof typeof INTERVALS;

/**
 * How many commits of a history were committed in the last days, weeks or months, oldest first. Null for an empty repository, an unknown
 * ref, without a git program, and where there are too many to be counted in time. Throws Forbidden, Unauthenticated, RateLimited.
 */
export async function commitActivity(
  context: Context,
  project: ProjectRow,
  ref: string | null | undefined,
  interval: CommitInterval,
  now = new Date(),
): Promise<CommitActivity[] | null> {
  authorize(context.actor, 'read_commit', project);
  const revision = await findRevision(context, project, ref);
  if (!revision) return null;
  const { repository, oid } = revision;
  const begins = beginnings(interval, now);
  const since = Number(begins[0]) / 1000;
  const key = `commit activity ${oid} ${interval} ${since}`;
  return remembered(repository, key, async () => {
    const times = await withEffort(context, () => repository.commitTimes(oid, since)).catch((error) => {
      if (error instanceof LimitExceeded) return null;
      throw error;
    });
    if (times === null) return null;
    const spans = begins.map((from) => ({ from, commits: 0 }));
    for (const [at, time] of times.entries()) {
      if (at % BATCH_SIZE === 0) await yieldToEventLoop();
      const span = spans.findLast(({ from }) => Number(from) <= time * 1000);
      // Clocks of authors may be ahead.
      if (span && time * 1000 <= Number(now)) span.commits++;
    }
    return spans;
  });
}

/** When each span begins, oldest first; the last one is the present. */
function beginnings(interval: CommitInterval, now: Date): Date[] {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  return Array.from({ length: INTERVALS[interval] }, (_one, index) => {
    const back = INTERVALS[interval] - 1 - index;
    if (interval === 'month') return new Date(Date.UTC(year, month - back, 1));
    return new Date(Date.UTC(year, month, interval === 'day' ? day - back : day - sinceMonday - 7 * back));
  });
}
