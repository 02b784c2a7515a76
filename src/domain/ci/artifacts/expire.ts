import type { Context } from '#src/access/permissions/actor.ts';
import { forgetArtifacts } from '#src/domain/ci/artifacts/forget.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes expired artifacts, and unrecorded files. */
    'artifacts.expire': Record<string, never>;
  }
}

/** How many artifacts are removed per transaction. */
const AT_ONCE = 100;

/** Removes expired artifacts; their jobs have none from then on. */
export async function expireArtifacts({ db }: Pick<Context, 'db'>, jobs: JobQueue): Promise<void> {
  for (let found = AT_ONCE; found === AT_ONCE; ) {
    found = await db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<{ jobId: number }[]>`
        SELECT job_id AS "jobId" FROM job_artifacts WHERE expire_at <= now()
        ORDER BY expire_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`;
      const ids = rows.map(({ jobId }) => jobId);
      if (ids.length === 0) return 0;
      await forgetArtifacts(tx, jobs, ids);
      await tx.$executeRaw`
        UPDATE jobs SET artifacts_filename = NULL, artifacts_size = NULL, updated_at = now() WHERE id = ANY(${ids}::int[])`;
      return ids.length;
    });
  }
}
