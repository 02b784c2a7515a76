import { timingSafeEqual } from 'node:crypto';
import { isToken } from '#src/access/credentials/tokens/runner_tokens.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** A job, found by its token. */
export interface TokenJob {
  id: number;
  projectId: number;
  pipelineId: number;
  /** The token is valid while this is `running` or `canceling`; otherwise the runner receives the status and stops. */
  status: Columns['Job']['status'];
  runnerId: number | null;
}

/**
 * The job of that ID, for the runner that runs or ran it. Its token is valid only while it runs (`isRunning`); for
 * other statuses, callers answer the runner with `Job-Status`.
 *
 * @throws NotFound if there is no such job or its project is being deleted; Forbidden for a token of another job
 */
export async function runningJob(db: Db, jobId: number, token: unknown): Promise<TokenJob> {
  // Other numbers cannot be IDs.
  if (!Number.isSafeInteger(jobId) || jobId < 1 || jobId > 0x7fffffff) throw new NotFound('Job');
  const [row] = await db.$queryRaw<(TokenJob & { hash: Uint8Array | null })[]>`
    SELECT j.id, j.project_id AS "projectId", j.pipeline_id AS "pipelineId", j.status::text AS status,
      j.runner_id AS "runnerId", j.token_hash AS hash
    FROM jobs j JOIN projects p ON p.id = j.project_id AND p.deleted_at IS NULL
    WHERE j.id = ${jobId} AND NOT j.generic`;
  if (!row) throw new NotFound('Job');
  const { hash, ...job } = row;
  if (!isToken(token) || !isHashOf(hash, token)) throw new Forbidden();
  return job;
}

/** Whether a job is running, if only to end what was canceled, so that its token is valid. */
export function isRunning({ status }: Pick<TokenJob, 'status'>): boolean {
  return status === 'running' || status === 'canceling';
}

/** The job that is running with this token; null for unknown tokens and those of ended jobs. */
export async function jobOfToken(db: Db, token: unknown): Promise<(TokenJob & { userId: number }) | null> {
  if (!isToken(token)) return null;
  const [row] = await db.$queryRaw<(TokenJob & { userId: number })[]>`
    SELECT j.id, j.project_id AS "projectId", j.pipeline_id AS "pipelineId", j.status::text AS status,
      j.runner_id AS "runnerId", j.user_id AS "userId"
    FROM jobs j JOIN projects p ON p.id = j.project_id AND p.deleted_at IS NULL
    WHERE j.token_hash = ${tokenHash(token)} AND j.status IN ('running', 'canceling') AND NOT j.generic`;
  return row ?? null;
}

/**
 * The job of that ID, for a running job that may use its artifacts: one of the earlier stages of the same pipeline, or a needed one. Runners send
 * the token of their own job for it (`dependencies` of the payload).
 *
 * @throws NotFound, Forbidden as runningJob
 */
export async function jobForDependent(
  db: Db,
  jobId: number,
  token: unknown,
): Promise<{ id: number; projectId: number }> {
  const asker = await jobOfToken(db, token);
  if (!asker) throw new Forbidden();
  if (!Number.isSafeInteger(jobId) || jobId < 1 || jobId > 0x7fffffff) throw new NotFound('Job');
  const [row] = await db.$queryRaw<{ id: number; projectId: number; isBefore: boolean }[]>`
    SELECT j.id, j.project_id AS "projectId",
      ((j.pipeline_id = own.pipeline_id AND (j.id = own.id OR j.stage_index < own.stage_index OR j.name = ANY(own.needs)))
        OR COALESCE(own.options->'cross_jobs' @> to_jsonb(j.id), false)) AS "isBefore"
    FROM jobs j, jobs own WHERE j.id = ${jobId} AND NOT j.generic AND own.id = ${asker.id}`;
  if (!row) throw new NotFound('Job');
  if (!row.isBefore) throw new Forbidden();
  return { id: row.id, projectId: row.projectId };
}

/** Compares in constant time, whatever the token. */
function isHashOf(hash: Uint8Array | null, token: string): boolean {
  const given = tokenHash(token);
  return hash !== null && hash.length === given.length && timingSafeEqual(hash, given);
}
