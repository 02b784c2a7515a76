import { JOB_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { recordDeploymentStarts } from '#src/domain/ci/deployments/record.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import { ofProtectedRef } from '#src/domain/ci/runners/protected_ref.ts';
import { type Db, Prisma, vanished } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import { newToken, tokenHash } from '#src/platform/secrets.ts';

const { sql } = Prisma;

/** A job that a runner has just taken. */
export interface TakenJob {
  id: number;
  pipelineId: number;
  /** The token with which the runner identifies the job; it is not stored. */
  token: string;
}

/**
 * Assigns the oldest suitable job to the runner (runner-protocol.md, Which job): a shared one gets a job of the project with the
 * fewest running jobs. It is taken atomically in one statement, without the lock of the pipeline, which changes to its jobs wait
 * for; the pipeline is settled afterwards.
 *
 * @returns null if there is none, `taken` if others were about to take the available ones
 * @throws Forbidden if the runner was deleted meanwhile
 */
export async function takeJob(stores: ChangeContext, runner: AuthenticatedRunner): Promise<TakenJob | 'taken' | null> {
  const { db } = stores;
  const token = newToken(JOB_TOKEN);
  const [job] = await take(db, runner, token).catch((error) => {
    throw vanished(error) ? new Forbidden() : error;
  });
  if (!job) return (await hasJobFor(db, runner)) ? 'taken' : null;
  await db
    .$transaction(async (tx) => {
      await lockPipeline(tx, job.pipelineId);
      await recordDeploymentStarts(tx, [job.id]);
      await settlePipeline(tx, stores, job.pipelineId);
    })
    .catch((error) => {
      if (!(error instanceof NotFound)) throw error;
    });
  return { ...job, token };
}

function take(db: Db, runner: AuthenticatedRunner, token: string): Promise<{ id: number; pipelineId: number }[]> {
  const running = runner.isShared
    ? sql`LEFT JOIN (SELECT project_id, count(*) AS count FROM jobs WHERE status = 'running' AND NOT generic GROUP BY project_id)
        busy ON busy.project_id = j.project_id`
    : Prisma.empty;
  const order = runner.isShared ? sql`COALESCE(busy.count, 0), j.id` : sql`j.id`;
  return db.$queryRaw`
    WITH next AS MATERIALIZED (
      SELECT j.id, LEAST(COALESCE((j.options->>'timeout')::int, p.build_timeout), ${runner.maximumTimeout}::int) AS timeout
      FROM jobs j JOIN projects p ON p.id = j.project_id JOIN users u ON u.id = j.user_id ${running}
      WHERE ${isFor(runner)} ORDER BY ${order} LIMIT 1 FOR UPDATE OF j SKIP LOCKED)
    UPDATE jobs SET status = 'running', runner_id = ${runner.id}, token_hash = ${tokenHash(token)}, timeout = next.timeout,
      manager_id = ${runner.managerId}::int, cancels_gracefully = ${runner.features.has('cancel_gracefully')},
      queued_at = COALESCE(queued_at, now()), started_at = now(), last_sign_at = now(), updated_at = now()
    FROM next WHERE jobs.id = next.id RETURNING jobs.id, jobs.pipeline_id AS "pipelineId"`;
}

async function hasJobFor(db: Db, runner: AuthenticatedRunner): Promise<boolean> {
  const [row] = await db.$queryRaw<[{ has: boolean }]>`
    SELECT EXISTS (SELECT 1 FROM jobs j JOIN projects p ON p.id = j.project_id JOIN users u ON u.id = j.user_id
      WHERE ${isFor(runner)}) AS has`;
  return row.has;
}

/** Whether the runner may run the job `j` of project `p`, started by the user `u`. */
function isFor({ isShared, groupId, projectIds, refProtected, runUntagged, tagList }: AuthenticatedRunner): Prisma.Sql {
  // Jobs created by an earlier version have their tags in the options only.
  const tags = sql`COALESCE(j.tags, CASE WHEN jsonb_typeof(j.options->'tags') = 'array'
    THEN ARRAY(SELECT jsonb_array_elements_text(j.options->'tags')) END, '{}')`;
  const place = isShared
    ? sql`p.shared_runners_enabled`
    : groupId === null
      ? sql`j.project_id = ANY(${projectIds}::int[])`
      : sql`p.group_runners_enabled AND p.namespace_id = ANY(ARRAY(SELECT n.id FROM namespaces n WHERE n.lineage @> ARRAY[${groupId}::int]))`;
  const ref = refProtected
    ? sql`AND EXISTS (SELECT 1 FROM pipelines l WHERE l.id = j.pipeline_id AND ${ofProtectedRef})`
    : Prisma.empty;
  return sql`j.status = 'pending' AND NOT j.generic AND ${place} AND p.jobs_enabled AND NOT p.archived
    AND p.deleted_at IS NULL AND u.state = 'active' AND NOT u.ghost AND ${tags} <@ ${tagList}::text[] AND (${runUntagged} OR ${tags} <> '{}') ${ref}`;
}
