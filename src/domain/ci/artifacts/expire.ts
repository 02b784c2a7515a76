import type { Context } from '#src/access/permissions/actor.ts';
import { forgetArchives, forgetReports } from '#src/domain/ci/forget_artifacts.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes expired artifacts, and unrecorded files. */
    'artifacts.expire': Record<string, never>;
  }
}

/** How many artifacts are removed per transaction. */
const BATCH_SIZE = 100;

/** Removes expired archives and reports; their jobs have none from then on. */
export async function expireArtifacts({ db }: Pick<Context, 'db'>, jobs: JobQueue): Promise<void> {
  for (const expire of [expireArchives, expireReports]) {
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) found = await db.$transaction((tx) => expire(tx, jobs));
  }
}

/** Returns how many there were. */
async function expireArchives(tx: Transaction, jobs: JobQueue): Promise<number> {
  const rows = await tx.$queryRaw<{ jobId: number }[]>`
    SELECT job_id AS "jobId" FROM job_artifacts WHERE expire_at <= now()
    ORDER BY expire_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED`;
  const ids = rows.map(({ jobId }) => jobId);
  if (ids.length === 0) return 0;
  await forgetArchives(tx, jobs, ids);
  await tx.$executeRaw`
    UPDATE jobs SET artifacts_filename = NULL, artifacts_size = NULL, updated_at = now() WHERE id = ANY(${ids}::int[])`;
  return ids.length;
}

async function expireReports(tx: Transaction, jobs: JobQueue): Promise<number> {
  const rows = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM job_reports WHERE expire_at <= now() ORDER BY expire_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED`;
  if (rows.length > 0)
    await forgetReports(
      tx,
      jobs,
      rows.map(({ id }) => id),
    );
  return rows.length;
}
