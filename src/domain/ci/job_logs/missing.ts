import type { Db } from '#src/platform/database/db.ts';

/**
 * Whether bytes of a job's log have not come yet, although its runner says that the job is over. After five minutes the log counts as it
 * is.
 *
 * @param bytes of the whole log
 */
export async function isLogMissing(db: Db, jobId: number, bytes: number): Promise<boolean> {
  if (bytes === 0) return false;
  const [row] = await db.$queryRaw<{ isLate: boolean }[]>`
    UPDATE jobs SET ending_at = COALESCE(ending_at, now()) WHERE id = ${jobId}
      AND COALESCE((SELECT t.received FROM job_traces t WHERE t.job_id = jobs.id), 0) < ${bytes}::bigint
    RETURNING ending_at < now() - interval '5 minutes' AS "isLate"`;
  return row !== undefined && !row.isLate;
}
