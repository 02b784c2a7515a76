import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findEnvironment } from '#src/domain/ci/environments/list.ts';
import { startManualJob } from '#src/domain/ci/jobs/change.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/pipelines/settle.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { select } from '#src/platform/records/selection.ts';

/** Stops an environment, and starts its latest deployment's stop job if that is manual. Throws NotFound, Forbidden. */
export async function stopEnvironment(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'stop_environment', project);
  await findEnvironment(context, project, id, select('Environment', { id: true }));
  await context.db.$transaction(async (tx) => {
    const [stop] = await tx.$queryRaw<{ pipelineId: number; name: string }[]>`
      SELECT j.pipeline_id AS "pipelineId", j.on_stop AS name FROM deployments d LEFT JOIN jobs j ON j.id = d.job_id
      WHERE d.environment_id = ${id} ORDER BY d.id DESC LIMIT 1`;
    // Pipelines are locked before environments, as in jobs that succeed.
    if (stop?.name) await lockPipeline(tx, stop.pipelineId);
    const stopped = await tx.environment.updateMany({
      where: { id, state: 'available' },
      data: { state: 'stopped', updatedAt: new Date() },
    });
    if (stopped.count === 0 || !stop?.name) return;
    const job = await tx.job.findFirst({
      where: { pipelineId: stop.pipelineId, name: stop.name, retried: false, generic: false, status: 'manual' },
      select: { id: true, status: true },
    });
    if (!job) return;
    await startManualJob(tx, job, actor.id);
    await settlePipeline(tx, context, stop.pipelineId);
  });
  return { project, id };
}
