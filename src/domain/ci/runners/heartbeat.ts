import type { Db } from '#src/platform/database/db.ts';

/** Records a heartbeat of a job's runner, at most once in ten seconds. */
export async function noteHeartbeat(db: Db, jobId: number): Promise<void> {
  await db.$executeRaw`UPDATE jobs SET last_sign_at = now()
    WHERE id = ${jobId} AND status IN ('running', 'canceling') AND (last_sign_at IS NULL OR last_sign_at < now() - interval '10 seconds')`;
}
