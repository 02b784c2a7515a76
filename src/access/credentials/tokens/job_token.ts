import { timingSafeEqual } from 'node:crypto';
import { isToken } from '#src/access/credentials/tokens/runner_tokens.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** A job as its token makes it known. */
export interface TokenJob {
  id: number;
  projectId: number;
  pipelineId: number;
  /** Anything but `running`, and the token is good for nothing any more: its runner is told so, and stops. */
  status: Columns['Job']['status'];
  runnerId: number | null;
}

/**
 * The job of that ID, for whoever runs or ran it. A token is worth something while `status` is `running` alone (`isRunning`);
 * callers tell the runner of any other one by `Job-Status`.
 *
 * @throws NotFound when there is no such job, or its project is being deleted; Forbidden for a token that is not the job's
 */
export async function runningJob(db: Db, jobId: number, token: unknown): Promise<TokenJob> {
  // Other numbers are the ID of nothing.
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

/** Whether a job runs, so that its token counts. */
export function isRunning({ status }: Pick<TokenJob, 'status'>): boolean {
  return status === 'running';
}

/** The job that runs with this token; null for one that is no job's, or that of a job which has ended. */
export async function jobOfToken(db: Db, token: unknown): Promise<(TokenJob & { userId: number }) | null> {
  if (!isToken(token)) return null;
  const [row] = await db.$queryRaw<(TokenJob & { userId: number })[]>`
    SELECT j.id, j.project_id AS "projectId", j.pipeline_id AS "pipelineId", j.status::text AS status,
      j.runner_id AS "runnerId", j.user_id AS "userId"
    FROM jobs j JOIN projects p ON p.id = j.project_id AND p.deleted_at IS NULL
    WHERE j.token_hash = ${tokenHash(token)} AND j.status = 'running' AND NOT j.generic`;
  return row ?? null;
}

/**
 * The job of that ID, for a job that runs and may use what it left: one of the stages before, in the same pipeline. Runners
 * are given the token of their own job for it (`dependencies` of the payload).
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
      (j.pipeline_id = own.pipeline_id AND (j.id = own.id OR j.stage_index < own.stage_index)) AS "isBefore"
    FROM jobs j, jobs own WHERE j.id = ${jobId} AND NOT j.generic AND own.id = ${asker.id}`;
  if (!row) throw new NotFound('Job');
  if (!row.isBefore) throw new Forbidden();
  return { id: row.id, projectId: row.projectId };
}

/** In constant time, whatever the token. */
function isHashOf(hash: Uint8Array | null, token: string): boolean {
  const given = tokenHash(token);
  return hash !== null && hash.length === given.length && timingSafeEqual(hash, given);
}
