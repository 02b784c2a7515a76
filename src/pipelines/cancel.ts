import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import type { Ref } from '#src/groups/find.ts';
import { findPipeline } from '#src/pipelines/find.ts';
import { lockPipeline, settlePipeline } from '#src/pipelines/settle.ts';
import { CANCELABLE } from '#src/pipelines/status.ts';
import { select } from '#src/platform/records/selection.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import { findProject } from '#src/projects/find.ts';

/** Cancels a pipeline with all its jobs that are not finished. Throws NotFound, Forbidden. */
export async function cancelPipeline(context: Context, ref: Ref, id: number): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_pipeline', project);
  await findPipeline(context, project, id, select('Pipeline', { id: true }));
  await context.db.$transaction(async (tx) => {
    await lockPipeline(tx, id);
    await tx.$executeRaw`UPDATE jobs SET status = 'canceled', finished_at = now(), updated_at = now()
      WHERE pipeline_id = ${id} AND status = ANY(${[...CANCELABLE]}::job_status[])`;
    await settlePipeline(tx, context, id, 'canceled');
  });
  return { project, id };
}
