import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { CANCELABLE } from '#src/domain/changes/pipeline_status.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { cancelJobs } from '#src/domain/ci/jobs/cancel.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { findPipeline } from '#src/domain/ci/pipelines/find.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
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
    await cancelLocked(tx, context, id);
  });
  return { project, id };
}

/** Cancels a pipeline that is locked, and later its children. */
async function cancelLocked(tx: Transaction, context: ChangeContext, id: number): Promise<void> {
  const canceled = await cancelJobs(tx, sql`pipeline_id = ${id}`);
  const isEnding = canceled.some(({ status }) => status === 'canceling');
  await settlePipeline(tx, context, id, isEnding ? undefined : 'canceled');
  const [bridge] = await tx.$queryRaw<unknown[]>`SELECT 1 FROM jobs WHERE pipeline_id = ${id} AND bridge LIMIT 1`;
  if (bridge) await context.jobs?.enqueue(tx, 'pipelines.cancel_children', { pipelineId: id });
}

/** Cancels the unfinished child pipelines of a canceled one, and so on. */
export async function cancelChildren(
  context: ChangeContext & { db: Db },
  { pipelineId }: { pipelineId: number },
): Promise<void> {
  const children = await context.db.$queryRaw<{ id: number }[]>`
    SELECT p.id FROM jobs j JOIN pipelines p ON p.source_job_id = j.id AND p.source = 'parent_pipeline'
    WHERE j.pipeline_id = ${pipelineId} AND j.bridge AND p.status = ANY(${[...CANCELABLE]}::job_status[]) ORDER BY p.id`;
  for (const { id } of children) {
    await context.db
      .$transaction(async (tx) => {
        await lockPipeline(tx, id);
        await cancelLocked(tx, context, id);
      })
      .catch((error) => {
        if (!(error instanceof NotFound)) throw error;
      });
  }
}
