import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { endDeployments } from '#src/domain/ci/deployments/record.ts';
import { forgetArtifacts } from '#src/domain/ci/forget_artifacts.ts';
import { forgetTrace } from '#src/domain/ci/job_logs/forget.ts';
import { cancelJobs } from '#src/domain/ci/jobs/cancel.ts';
import { cloneJobs, reviveNeeding, reviveSkipped } from '#src/domain/ci/jobs/clone.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/**
 * Cancels a job; one that has finished stays as it is. `force` ends one whose runner still ends it, for masters. Throws NotFound,
 * Forbidden.
 */
export function cancelJob(context: Context, ref: IdOrPath, id: number, force = false): Promise<ChangedRecord> {
  return changeJob(context, ref, id, async (tx, job, actor, project) => {
    if (force) authorize(actor, 'force_cancel_job', project);
    await cancelJobs(tx, sql`id = ${job.id}`);
    if (force) {
      const ended = await tx.$executeRaw`UPDATE jobs SET status = 'canceled', finished_at = now(), updated_at = now()
      WHERE id = ${job.id} AND status = 'canceling'`;
      if (ended > 0) await endDeployments(tx, [job.id], 'canceled');
    }
    return job.id;
  });
}

/** Retries a finished job as a new one. Throws NotFound, Forbidden. */
export function retryJob(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  return changeJob(context, ref, id, async (tx, job, actor) => {
    if (!FINISHED.includes(job.status)) throw new Forbidden('Job is not retryable').asWrongState(job.status);
    const [made = job.id] = await cloneJobs(tx, [job.id], actor.id, 'pending');
    await reviveSkipped(tx, { pipelineId: job.pipelineId, behind: job.stageIndex, userId: actor.id });
    return made;
  });
}

/** Starts a manual job. Throws NotFound, Forbidden, BadRequest. */
export function playJob(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  return changeJob(context, ref, id, async (tx, job, actor) => {
    if (job.status !== 'manual' && job.status !== 'scheduled')
      throw new BadRequest(
        'Only a manual or delayed job that has not started can be played',
        undefined,
        'jobNotPlayable',
      ).asWrongState(job.status);
    await startManualJob(tx, job, actor.id);
    await reviveNeeding(tx, { pipelineId: job.pipelineId, userId: actor.id, name: job.name });
    return job.id;
  });
}

/** Erases the log and artifacts of a finished job. Throws NotFound, and Forbidden also if there is nothing to erase. */
export function eraseJob(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  return changeJob(context, ref, id, async (tx, job) => {
    const hadTrace = await forgetTrace(tx, context.jobs, job.id);
    if (!FINISHED.includes(job.status) || (!hadTrace && !job.hasArtifacts)) {
      throw new Forbidden('Job is not erasable!').asWrongState(job.status);
    }
    await forgetArtifacts(tx, context.jobs, [job.id]);
    await tx.job.update({ where: { id: job.id }, data: { erasedAt: new Date(), updatedAt: new Date() } });
    return job.id;
  });
}

/** Queues a manual job for the user who starts it. The pipeline is locked, and the caller settles it. */
export async function startManualJob(
  tx: Transaction,
  job: { id: number; status: JobStatus },
  userId: number,
): Promise<void> {
  await moveJob(tx, job, 'pending');
  await tx.job.update({ where: { id: job.id }, data: { userId } });
}

const FINISHED: readonly JobStatus[] = ['success', 'failed', 'canceled'];

/** A job under the lock of its pipeline. */
interface LockedJob {
  id: number;
  pipelineId: number;
  status: JobStatus;
  stageIndex: number;
  name: string;
  hasArtifacts: boolean;
}

/** Changes a job of the project under the lock of its pipeline; `work` returns the ID of the resulting job. */
async function changeJob(
  context: Context,
  ref: IdOrPath,
  id: number,
  work: (tx: Transaction, job: LockedJob, actor: Actor, project: ProjectRow) => Promise<number>,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_job', project);
  const { pipelineId } = await findJob(context, project, id, select('Job', { pipelineId: true }));
  const changed = await context.db.$transaction(async (tx) => {
    await lockPipeline(tx, pipelineId);
    const [job] = await tx.$queryRaw<[LockedJob]>`
      SELECT id, pipeline_id AS "pipelineId", status::text AS status, stage_index AS "stageIndex", name,
        (artifacts_filename IS NOT NULL OR EXISTS (SELECT 1 FROM job_reports r WHERE r.job_id = jobs.id)) AS "hasArtifacts"
      FROM jobs WHERE id = ${id}`;
    const result = await work(tx, job, actor, project);
    await settlePipeline(tx, context, pipelineId);
    return result;
  });
  return { project, id: changed };
}
