import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type Counted, countAt, type Language, shares } from '#src/domain/repository/languages/count.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { findRevision, type Revision } from '#src/domain/repository/revision.ts';
import { LimitExceeded } from '#src/git/base/errors.ts';
import type { DatedCommit, Oid } from '#src/git/base/model.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The languages of the default branch as it was. */
export interface LanguagesAt {
  at: Date;
  /** The newest commit of that time. */
  commitSha: Oid;
  /** The largest first. */
  languages: Language[];
}

export interface LanguageHistory {
  /** Oldest first. */
  points: LanguagesAt[];
  /** Whether some are not counted yet: asking again counts them. */
  isPartial: boolean;
}

/** Points at most, the present one among them. */
const MAX_POINTS = 13;
const STEPS_IN_MONTHS = [1, 2, 3, 6, 12, 24, 36, 60, 120];

/** Languages of a point that are kept. */
const MAX_LANGUAGES = 20;

/** Milliseconds after which no other point is counted for one request. */
const TIMEOUT_MS = 2_000;

/**
 * The languages of the default branch at up to 13 points in time: beginnings of months, and today. What is counted is kept by commit, and
 * a request counts for two seconds at most, the newest points first. Null for an empty repository, without a git program, and where the
 * history is too long to be walked in time. Throws Forbidden, Unauthenticated, RateLimited.
 */
export async function languagesOverTime(
  context: Context,
  project: ProjectRow,
  now = new Date(),
): Promise<LanguageHistory | null> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project);
  if (!revision) return null;
  const points = await pointsOf(context, revision, now);
  if (points === null) return null;
  const known = await keptOf(context.db, project.id);
  const wanted = [...new Set(points.map(({ oid }) => oid))].reverse();
  const missing = wanted.filter((oid) => !known.has(oid));
  if (missing.length > 0) {
    await withEffort(context, () => countMissing(revision, missing, known));
    await keep(context.db, project.id, new Map(wanted.flatMap((oid) => entryOf(known, oid))));
  }
  return {
    points: points.flatMap(({ at, oid }) => {
      const counted = known.get(oid);
      return counted ? [{ at, commitSha: oid, languages: shares(counted) }] : [];
    }),
    isPartial: wanted.some((oid) => !known.has(oid)),
  };
}

function entryOf(known: ReadonlyMap<Oid, Counted>, oid: Oid): [Oid, Counted][] {
  const counted = known.get(oid);
  return counted ? [[oid, counted]] : [];
}

/** Counts at least one tree, and others until the time is up. */
async function countMissing(
  { repository }: Revision,
  missing: readonly Oid[],
  known: Map<Oid, Counted>,
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (const oid of missing) {
    known.set(oid, (await countAt(repository, oid)).slice(0, MAX_LANGUAGES));
    if (performance.now() > deadline) return;
  }
}

/** The newest commit of the branch at each point, oldest first; null where they cannot be found. */
async function pointsOf(
  context: Context,
  { repository, oid }: Revision,
  now: Date,
): Promise<{ at: Date; oid: Oid }[] | null> {
  const month = now.toISOString().slice(0, 7);
  return remembered(repository, `points in time ${oid} ${month}`, async () => {
    try {
      const commits = await withEffort(context, () => repository.firstParents(oid));
      return commits && spread(commits, now);
    } catch (error) {
      if (error instanceof LimitExceeded) return null;
      throw error;
    }
  });
}

function spread(commits: readonly DatedCommit[], now: Date): { at: Date; oid: Oid }[] {
  const [newest] = commits;
  if (!newest) return [];
  const oldest = commits.reduce((first, { time }) => Math.min(first, time), newest.time) * 1000;
  const begun = new Date(oldest);
  const months = 12 * (now.getUTCFullYear() - begun.getUTCFullYear()) + now.getUTCMonth() - begun.getUTCMonth();
  const step = STEPS_IN_MONTHS.find((one) => months / one <= MAX_POINTS - 1) ?? Math.ceil(months / (MAX_POINTS - 1));
  const dates = Array.from({ length: MAX_POINTS - 1 }, (_one, at) => {
    const back = (MAX_POINTS - 2 - at) * step;
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
  });
  const past = dates.flatMap((at) => {
    // Times may go back a little along a history: the newest commit that was made by then counts.
    const found = commits.find(({ time }) => time * 1000 < Number(at));
    return found ? [{ at, oid: found.oid }] : [];
  });
  const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  return [...past.filter(({ at }) => at < today), { at: today, oid: newest.oid }];
}

async function keptOf(db: Pick<Db, 'languageHistory'>, projectId: number): Promise<Map<Oid, Counted>> {
  const row = await db.languageHistory.findUnique({ where: { projectId }, select: { counts: true } });
  return new Map(row ? Object.entries(JSON.parse(row.counts) as Record<Oid, Counted>) : []);
}

/** Keeps the counts of these commits in place of those before. */
async function keep(db: Db, projectId: number, counts: ReadonlyMap<Oid, Counted>): Promise<void> {
  const text = JSON.stringify(Object.fromEntries(counts));
  await db.$executeRaw`
    INSERT INTO language_histories (project_id, counts) SELECT id, ${text} FROM projects WHERE id = ${projectId} AND deleted_at IS NULL
    ON CONFLICT (project_id) DO UPDATE SET counts = EXCLUDED.counts`;
}
