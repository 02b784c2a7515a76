import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { endDeployments } from '#src/domain/ci/deployments/record.ts';
import { forgetArtifacts } from '#src/domain/ci/forget_artifacts.ts';
import { forgetTrace } from '#src/domain/ci/job_logs/forget.ts';
import { lockPipeline } from '#src/domain/ci/jobs/settle.ts';
import { findPipeline } from '#src/domain/ci/pipelines/find.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Characters of the longest name. */
const MAX_NAME_LENGTH = 255;

/** Names a pipeline. Throws NotFound, Forbidden, ValidationFailed. */
export async function renamePipeline(
  context: Context,
  ref: IdOrPath,
  id: number,
  name: string,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_pipeline', project);
  await findPipeline(context, project, id, select('Pipeline', { id: true }));
  const given = name.trim();
  if (given.length > MAX_NAME_LENGTH)
    throw new ValidationFailed({ name: [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] });
  await context.db.pipeline.updateMany({ where: { id }, data: { name: given || null, updatedAt: new Date() } });
  return { project, id };
}

/** Deletes a pipeline with its child pipelines, its jobs, their logs and artifacts. Throws NotFound, Forbidden. */
export async function deletePipeline(context: Context, ref: IdOrPath, id: number): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  await findPipeline(context, project, id, select('Pipeline', { id: true }));
  authorize(actor, 'delete_pipeline', project);
  await context.db.$transaction(async (tx) => {
    await lockPipeline(tx, id);
    // Its children are parts of it.
    const parts = await tx.$queryRaw<{ id: number }[]>`
      WITH RECURSIVE parts AS (SELECT ${id}::int AS id UNION SELECT p.id FROM parts JOIN jobs j ON j.pipeline_id = parts.id AND j.bridge
        JOIN pipelines p ON p.source_job_id = j.id AND p.source = 'parent_pipeline') SELECT id FROM parts ORDER BY id`;
    const pipelines = parts.map((part) => part.id);
    const jobs = await tx.job.findMany({ where: { pipelineId: { in: pipelines } }, select: { id: true } });
    const ids = jobs.map((job) => job.id);
    const grouped = await tx.job.findMany({
      where: { id: { in: ids }, resourceGroup: { not: null } },
      select: { resourceGroup: true },
      distinct: ['resourceGroup'],
    });
    for (const { resourceGroup: name } of grouped) {
      if (name) await context.jobs.enqueue(tx, 'resource_groups.assign', { projectId: project.id, name });
    }
    await endDeployments(tx, ids, 'canceled');
    await forgetArtifacts(tx, context.jobs, ids);
    const logs = await tx.$queryRaw<{ id: number }[]>`
      SELECT job_id AS id FROM job_traces WHERE job_id = ANY(${ids}::int[])`;
    for (const log of logs) await forgetTrace(tx, context.jobs, log.id);
    await tx.pipeline.deleteMany({ where: { id: { in: pipelines } } });
  });
  return { id };
}
