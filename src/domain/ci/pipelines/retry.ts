import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { cloneJobs, reviveSkipped } from '#src/domain/ci/jobs/clone.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { findPipeline } from '#src/domain/ci/pipelines/find.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { select } from '#src/platform/records/selection.ts';

/** The place before all stages. */
const BEFORE_ALL = -2;

/** A retried pipeline, and values that override those of its record in the response. */
export interface RetriedPipeline extends ChangedRecord {
  answered: { status: JobStatus };
}

/**
 * Retries the failed and canceled jobs of a pipeline, stage after stage, with the skipped jobs after them: the pipeline becomes
 * pending. If nothing had failed it is unchanged, and pending in the response only (rest-api-v4.md, States and transitions).
 * Throws NotFound, Forbidden.
 */
export async function retryPipeline(context: Context, ref: IdOrPath, id: number): Promise<RetriedPipeline> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_pipeline', project);
  await findPipeline(context, project, id, select('Pipeline', { id: true }));
  await context.db.$transaction(async (tx) => {
    await lockPipeline(tx, id);
    const failed = await tx.$queryRaw<{ id: number }[]>`
      SELECT id FROM jobs WHERE pipeline_id = ${id} AND NOT retried AND status IN ('failed', 'canceled') ORDER BY id`;
    const again = failed.map((job) => job.id);
    await cloneJobs(tx, again, actor.id, 'created');
    await reviveSkipped(tx, { pipelineId: id, behind: BEFORE_ALL, userId: actor.id });
    const empty = (await tx.job.count({ where: { pipelineId: id } })) === 0;
    await settlePipeline(tx, context, id, empty || again.length > 0 ? 'pending' : undefined);
  });
  return { project, id, answered: { status: 'pending' } };
}
