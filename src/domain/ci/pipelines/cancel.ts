import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { cancelJobs } from '#src/domain/ci/jobs/cancel.ts';
import { findPipeline } from '#src/domain/ci/pipelines/find.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/pipelines/settle.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** Cancels a pipeline with all its unfinished jobs. Throws NotFound, Forbidden. */
export async function cancelPipeline(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_pipeline', project);
  await findPipeline(context, project, id, select('Pipeline', { id: true }));
  await context.db.$transaction(async (tx) => {
    await lockPipeline(tx, id);
    const canceled = await cancelJobs(tx, sql`pipeline_id = ${id}`);
    const isEnding = canceled.some(({ status }) => status === 'canceling');
    await settlePipeline(tx, context, id, isEnding ? undefined : 'canceled');
  });
  return { project, id };
}
