import { cancelJobs } from '#src/domain/ci/jobs/cancel.ts';
import { cloneJobs } from '#src/domain/ci/jobs/clone.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

interface Failed {
  pipelineId: number;
  userId: number;
  failureReason: string;
  exitCode: number | null;
  allowFailure: boolean;
  retry: { max: number; when: string[]; exitCodes: number[] } | null;
  allowed: number[] | null;
  onJobFailure: string | null;
  /** How often it was tried. */
  tries: number;
}

/** Does what the file says of a job that has just failed: it counts as allowed, is tried again, or ends its pipeline. The pipeline is locked. */
export async function afterFailure(tx: Transaction, id: number): Promise<void> {
  const [job] = await tx.$queryRaw<Failed[]>`
    SELECT j.pipeline_id AS "pipelineId", j.user_id AS "userId", j.failure_reason AS "failureReason", j.exit_code AS "exitCode",
      j.allow_failure AS "allowFailure", j.options->'retry' AS retry, j.options->'allow_failure_exit_codes' AS allowed,
      p.auto_cancel->>'onJobFailure' AS "onJobFailure",
      (SELECT count(*)::int FROM jobs t WHERE t.pipeline_id = j.pipeline_id AND t.name = j.name) AS tries
    FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id WHERE j.id = ${id}`;
  if (!job) return;
  if (isRetried(job)) {
    await cloneJobs(tx, [id], job.userId, 'pending');
    return;
  }
  const isAllowed = job.exitCode !== null && job.allowed?.includes(job.exitCode);
  if (isAllowed) await tx.job.update({ where: { id }, data: { allowFailure: true } });
  if (isAllowed || job.allowFailure || job.onJobFailure !== 'all') return;
  await cancelJobs(tx, sql`pipeline_id = ${job.pipelineId}`);
}

function isRetried({ retry, tries, failureReason, exitCode }: Failed): boolean {
  if (!retry || tries > retry.max) return false;
  if (retry.when.length === 0 && retry.exitCodes.length === 0) return true;
  const isReason = retry.when.includes('always') || retry.when.includes(failureReason);
  return isReason || (exitCode !== null && retry.exitCodes.includes(exitCode));
}
