import type { Oid } from '#src/git/base/model.ts';
import type { Contributor } from '#src/git/base/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The contributors up to a commit. */
export interface KeptContributors {
  tip: Oid;
  contributors: Contributor[];
}

/** Number of new commits from which a job counts contributors in advance. */
const MANY = 1_000;

/** The stored result for a project; null if there is none. */
export async function readKept(db: Pick<Db, 'contributorCount'>, projectId: number): Promise<KeptContributors | null> {
  const row = await db.contributorCount.findUnique({ where: { projectId }, select: { tip: true, contributors: true } });
  return row && { tip: row.tip, contributors: JSON.parse(row.contributors) };
}

/** Stores a result, replacing the previous one; the tip may be any former tip. */
export async function keep(db: Db, projectId: number, { tip, contributors }: KeptContributors): Promise<void> {
  await db.$executeRaw`
    INSERT INTO contributor_counts (project_id, tip, commits, contributors)
    SELECT project_id, ${tip}, commits, ${JSON.stringify(contributors)} FROM project_counters WHERE project_id = ${projectId}
    ON CONFLICT (project_id) DO UPDATE
      SET tip = EXCLUDED.tip, commits = EXCLUDED.commits, contributors = EXCLUDED.contributors`;
}

/** Whether so many commits are new that the next reader would have to wait. */
export async function isFarBehind(db: Db, projectId: number): Promise<boolean> {
  const rows = await db.$queryRaw<{ behind: number }[]>`
    SELECT c.commits - COALESCE(k.commits, 0) AS behind FROM project_counters c
    LEFT JOIN contributor_counts k ON k.project_id = c.project_id WHERE c.project_id = ${projectId}`;
  return (rows[0]?.behind ?? 0) >= MANY;
}
