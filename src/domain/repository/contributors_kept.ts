import type { Oid } from '#src/git/model.ts';
import type { Contributor } from '#src/git/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The contributors that a commit leads to. */
export interface KeptContributors {
  tip: Oid;
  contributors: Contributor[];
}

/** From so many commits on that have to be looked at, a job does it ahead of those who ask. */
const MANY = 1_000;

/** What was kept for a project last; null if nothing was. */
export async function readKept(db: Pick<Db, 'contributorCount'>, projectId: number): Promise<KeptContributors | null> {
  const row = await db.contributorCount.findUnique({ where: { projectId }, select: { tip: true, contributors: true } });
  return row && { tip: row.tip, contributors: JSON.parse(row.contributors) };
}

/** Keeps them in place of what was kept before; they may belong to any commit that was the tip once. */
export async function keep(db: Db, projectId: number, { tip, contributors }: KeptContributors): Promise<void> {
  await db.$executeRaw`
    INSERT INTO contributor_counts (project_id, tip, commits, contributors)
    SELECT project_id, ${tip}, commits, ${JSON.stringify(contributors)} FROM project_counters WHERE project_id = ${projectId}
    ON CONFLICT (project_id) DO UPDATE
      SET tip = EXCLUDED.tip, commits = EXCLUDED.commits, contributors = EXCLUDED.contributors`;
}

/** Whether so many commits have come since that the next one to ask would wait. */
export async function isFarBehind(db: Db, projectId: number): Promise<boolean> {
  const rows = await db.$queryRaw<{ behind: number }[]>`
    SELECT c.commits - COALESCE(k.commits, 0) AS behind FROM project_counters c
    LEFT JOIN contributor_counts k ON k.project_id = c.project_id WHERE c.project_id = ${projectId}`;
  return (rows[0]?.behind ?? 0) >= MANY;
}
