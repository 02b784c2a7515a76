import type { ChangeContext } from '#src/domain/changes/record.ts';
import { moveJob } from '#src/domain/ci/jobs/move.ts';
import { lockPipeline, settlePipeline } from '#src/domain/ci/jobs/settle.ts';
import { queuedStates, queueOrder } from '#src/domain/ci/resource_groups/mode.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { resourceGroupLock } from '#src/platform/database/lock_names.ts';
import { NotFound } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Lets the next job of a resource group run, if no other one does. */
    'resource_groups.assign': { projectId: number; name: string };
  }
}

interface Group {
  projectId: number;
  name: string;
}

/** Queues the job of a resource group that is the next by the group's mode, unless another one runs or is queued, or it is too early for it. */
export async function assignResource(context: ChangeContext & { db: Db }, group: Group): Promise<void> {
  let next = await firstWaiting(context.db, group);
  // The first may have been canceled meanwhile.
  while (next && !(await assign(context, group, next))) next = await firstWaiting(context.db, group);
}

/** Whether it is decided which job runs; false if this one no longer waits. */
async function assign(
  context: ChangeContext & { db: Db },
  group: Group,
  next: { id: number; pipelineId: number },
): Promise<boolean> {
  return context.db
    .$transaction(async (tx) => {
      await lockPipeline(tx, next.pipelineId);
      // One at a time decides about a group.
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${resourceGroupLock(group.projectId, group.name)}, 0))::text`;
      const job = await tx.job.findUnique({ where: { id: next.id }, select: { id: true, status: true } });
      if (job?.status !== 'waiting_for_resource') return false;
      if (await isHeld(tx, group)) return true;
      await moveJob(tx, job, 'pending');
      await tx.job.update({ where: { id: job.id }, data: { holdsResource: true } });
      await settlePipeline(tx, context, next.pipelineId);
      return true;
    })
    .catch((error) => {
      if (!(error instanceof NotFound)) throw error;
      return false;
    });
}

async function firstWaiting(db: Db, { projectId, name }: Group): Promise<{ id: number; pipelineId: number } | null> {
  const group = await db.resourceGroup.findUnique({ where: { projectId_key: { projectId, key: name } } });
  const mode = group?.processMode ?? 'unordered';
  const [first] = await db.$queryRaw<{ id: number; pipelineId: number; isReady: boolean }[]>`
    SELECT id, pipeline_id AS "pipelineId", status = 'waiting_for_resource' AS "isReady" FROM jobs
    WHERE project_id = ${projectId} AND resource_group = ${name} AND status IN ${queuedStates(mode)}
    ORDER BY ${queueOrder(mode)} LIMIT 1`;
  return first?.isReady ? first : null;
}

async function isHeld(tx: Transaction, { projectId, name }: Group): Promise<boolean> {
  const [held] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM jobs WHERE project_id = ${projectId} AND resource_group = ${name} AND holds_resource LIMIT 1`;
  return held !== undefined;
}
