import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { findEnvironment } from '#src/domain/ci/environments/list.ts';
import { startManualJob } from '#src/domain/ci/jobs/change.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { nullIfNotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/**
 * Stops an environment. If its latest deployment has a stop job that waits to be started, that is started and the environment is being
 * stopped until it succeeds; `isForced` stops it without. Throws NotFound, Forbidden.
 */
export async function stopEnvironment(
  context: Context,
  ref: IdOrPath,
  id: number,
  isForced = false,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'stop_environment', project);
  await findEnvironment(context, project, id, select('Environment', { id: true }));
  await stopWithJob(context, id, isForced ? null : actor);
  return { project, id };
}

/**
 * Stops an environment with its stop job, if there is one and somebody to start it.
 *
 * @param only whether it is only stopped if a job does so
 */
async function stopWithJob(
  context: ChangeContext & { db: Db },
  id: number,
  starter: Pick<Actor, 'id'> | null,
  only: { byJob: boolean } = { byJob: false },
): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const [stop] = await tx.$queryRaw<{ pipelineId: number; name: string }[]>`
      SELECT j.pipeline_id AS "pipelineId", j.on_stop AS name FROM deployments d LEFT JOIN jobs j ON j.id = d.job_id
      WHERE d.environment_id = ${id} AND d.status = 'success' ORDER BY d.id DESC LIMIT 1`;
    // Pipelines are locked before environments, as in jobs that succeed.
    if (stop?.name) await lockPipeline(tx, stop.pipelineId);
    const job = stop?.name && starter ? await stopJob(tx, stop) : null;
    if (only.byJob && !job) {
      await tx.environment.updateMany({ where: { id }, data: { autoStopAt: null } });
      return;
    }
    const stopped = await tx.environment.updateMany({
      where: { id, state: job ? 'available' : { in: ['available', 'stopping'] } },
      data: { state: job ? 'stopping' : 'stopped', autoStopAt: null, updatedAt: new Date() },
    });
    if (stopped.count === 0 || !stop || !job || !starter) return;
    await startManualJob(tx, job, starter.id);
    await settlePipeline(tx, context, stop.pipelineId);
  });
}

function stopJob(tx: Transaction, { pipelineId, name }: { pipelineId: number; name: string }) {
  return tx.job.findFirst({
    where: { pipelineId, name, retried: false, generic: false, status: 'manual' },
    select: { id: true, status: true },
  });
}

/** Environments per statement. */
const BATCH_SIZE = 200;

type AsUser = (userId: number) => Promise<Context | null>;

/** Stops the environments whose time has come; their jobs are started by those who deployed to them, if they still may. */
export async function stopDue(context: ChangeContext & { db: Db }, as: AsUser): Promise<void> {
  for (let after = 0; ; ) {
    const due = await context.db.$queryRaw<Due[]>`
      SELECT e.id, e.project_id AS "projectId", e.auto_stop_setting = 'with_action' AS "byJob", (SELECT d.user_id FROM deployments d
        WHERE d.environment_id = e.id AND d.status = 'success' ORDER BY d.id DESC LIMIT 1) AS "userId"
      FROM environments e JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
      WHERE e.auto_stop_at <= now() AND e.state = 'available' AND e.id > ${after} ORDER BY e.id LIMIT ${BATCH_SIZE}`;
    for (const one of due) await stopWithJob(context, one.id, await deployerOf(one, as), one);
    after = due.at(-1)?.id ?? after;
    if (due.length < BATCH_SIZE) return;
  }
}

interface Due {
  id: number;
  projectId: number;
  byJob: boolean;
  userId: number | null;
}

async function deployerOf({ projectId, userId }: Omit<Due, 'id' | 'byJob'>, as: AsUser): Promise<Actor | null> {
  const context = userId === null ? null : await as(userId);
  if (!context?.actor) return null;
  const project = await findProject(context, projectId).catch(nullIfNotFound);
  return project && can(context.actor, 'stop_environment', project) ? context.actor : null;
}

/** Stops the environments to which a branch was deployed last, for who deleted the branch. */
export async function stopOfBranch(context: Context, { projectId, branch }: { projectId: number; branch: string }) {
  const actor = requireActor(context);
  const project = await findProject(context, projectId).catch(nullIfNotFound);
  if (!project) return;
  const starter = can(actor, 'stop_environment', project) ? actor : null;
  const ids = await context.db.$queryRaw<{ id: number }[]>`
    SELECT e.id FROM environments e JOIN LATERAL (SELECT d.ref, d.tag FROM deployments d
      WHERE d.environment_id = e.id AND d.status = 'success' ORDER BY d.id DESC LIMIT 1) last ON last.ref = ${branch} AND NOT last.tag
    WHERE e.project_id = ${projectId} AND e.state = 'available' ORDER BY e.id`;
  for (const { id } of ids) await stopWithJob(context, id, starter);
}
