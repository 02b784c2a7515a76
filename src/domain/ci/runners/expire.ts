import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { FailureReason } from '#src/domain/ci/jobs/failure_reason.ts';
import { endRunningJob } from '#src/domain/ci/runners/finish.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Fails jobs without a sign of life for long, and those that have run for too long. */
    'jobs.expire': Record<string, never>;
  }
}

/** Jobs per statement. */
const BATCH_SIZE = 200;

/** Without a heartbeat for an hour. Jobs of sample data have no runner and no heartbeats. */
const SILENT = sql`j.token_hash IS NOT NULL AND j.last_sign_at < now() - interval '1 hour'`;
/** A minute beyond its timeout: its runner ends it by itself. */
const LATE = sql`j.timeout IS NOT NULL AND j.started_at + make_interval(secs => j.timeout + 60) < now()`;

/** Canceled, and without a heartbeat for five minutes since. */
const ABANDONED = sql`j.status = 'canceling' AND GREATEST(j.last_sign_at, j.updated_at) < now() - interval '5 minutes'`;

const ENDS: readonly [Prisma.Sql, FailureReason][] = [
  [LATE, 'job_execution_timeout'],
  [SILENT, 'stuck_or_timeout_failure'],
  [ABANDONED, 'stuck_or_timeout_failure'],
];

/** Fails jobs that are stuck or overdue; their pipelines continue without them. */
export async function expireJobs(stores: ChangeContext): Promise<void> {
  for (const [condition, reason] of ENDS) {
    for (let after = 0; ; ) {
      const found = await find(stores.db, condition, after);
      for (const job of found) {
        await endRunningJob(stores, job, { state: 'failed', coverage: null, reason }, condition).catch((error) => {
          if (!(error instanceof NotFound)) throw error;
        });
      }
      after = found.at(-1)?.id ?? after;
      if (found.length < BATCH_SIZE) break;
    }
  }
}

function find(db: Db, condition: Prisma.Sql, after: number): Promise<{ id: number; pipelineId: number }[]> {
  return db.$queryRaw`
    SELECT j.id, j.pipeline_id AS "pipelineId" FROM jobs j
    WHERE j.status IN ('running', 'canceling') AND NOT j.generic AND j.id > ${after} AND ${condition} ORDER BY j.id LIMIT ${BATCH_SIZE}`;
}
