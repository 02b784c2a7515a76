import type { Context } from '#src/access/permissions/actor.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes files whose record is gone. */
    'artifacts.remove': { files: { projectId: number; secret: string }[] };
  }
}

/**
 * Deletes the artifacts of jobs, archives and reports, with a background job for their files, and subtracts them from the sizes of
 * their projects.
 */
export async function forgetArtifacts(tx: Transaction, jobs: JobQueue, jobIds: readonly number[]): Promise<void> {
  await forget(tx, jobs, archivesOf(jobIds));
  await forget(tx, jobs, sql`DELETE FROM job_reports WHERE job_id = ANY(${[...jobIds]}::int[])`);
  await tx.$executeRaw`UPDATE jobs SET artifacts_filename = NULL, artifacts_size = NULL, updated_at = now()
    WHERE id = ANY(${[...jobIds]}::int[]) AND artifacts_filename IS NOT NULL`;
}

/** Deletes the archives of jobs alone, which new ones replace. The caller updates the jobs themselves. */
export function forgetArchives(tx: Transaction, jobs: JobQueue, jobIds: readonly number[]): Promise<void> {
  return forget(tx, jobs, archivesOf(jobIds));
}

/** Deletes reports, with a background job for their files. */
export function forgetReports(tx: Transaction, jobs: JobQueue, ids: readonly number[]): Promise<void> {
  return forget(tx, jobs, sql`DELETE FROM job_reports WHERE id = ANY(${[...ids]}::int[])`);
}

function archivesOf(jobIds: readonly number[]): Prisma.Sql {
  return sql`DELETE FROM job_artifacts WHERE job_id = ANY(${[...jobIds]}::int[])`;
}

async function forget(tx: Transaction, jobs: JobQueue, deletion: Prisma.Sql): Promise<void> {
  const files = await tx.$queryRaw<{ projectId: number; secret: string }[]>`
    WITH gone AS (${deletion} RETURNING project_id, secret, size),
    sums AS (SELECT project_id, sum(size) AS size FROM gone GROUP BY 1),
    counted AS (UPDATE project_counters c SET job_artifacts_size = greatest(0, c.job_artifacts_size - s.size)
      FROM sums s WHERE c.project_id = s.project_id)
    SELECT project_id AS "projectId", secret FROM gone`;
  if (files.length > 0) await jobs.enqueue(tx, 'artifacts.remove', { files });
}

/** Removes the files. */
export async function removeArtifacts(
  stores: Pick<Context, 'uploads'>,
  files: readonly { projectId: number; secret: string }[],
): Promise<void> {
  const store = artifactsStore(stores);
  for (const file of files) await store.remove(file);
}
