import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** Notes that the log of a job holds all of its variables, as its runner says (`CI_DEBUG_TRACE`). */
export async function markDebugLog(db: Db, jobId: number): Promise<void> {
  await db.$executeRaw`INSERT INTO job_traces (job_id, debug) SELECT id, true FROM jobs WHERE id = ${jobId}
    ON CONFLICT (job_id) DO UPDATE SET debug = true WHERE NOT job_traces.debug`;
}

/** Throws Forbidden if one of the logs holds variables that the actor, who may see the jobs, must not read. */
export async function requireLogReadable(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  project: ProjectRow,
  jobId: number,
): Promise<void> {
  if (can(actor, 'read_debug_log', project)) return;
  if ((await db.jobTrace.count({ where: { jobId, debug: true } })) > 0) throw new Forbidden();
}
