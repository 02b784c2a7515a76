import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { auditedRunner } from '#src/domain/ci/runners/audit.ts';
import { checkRunner, normalTags } from '#src/domain/ci/runners/values.ts';
import {
  isOfManyProjects,
  REASONS,
  type RunnerAccess,
  requireChangeable,
  runnerAccess,
} from '#src/domain/ci/runners/visibility.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/** Changes to a runner; absent values stay unchanged. */
export interface RunnerChanges {
  description?: string | null | undefined;
  active?: boolean | null | undefined;
  tagList?: readonly string[] | null | undefined;
  runUntagged?: boolean | null | undefined;
  locked?: boolean | null | undefined;
  refProtected?: boolean | null | undefined;
  /** Seconds; null for none. */
  maximumTimeout?: number | null | undefined;
  maintenanceNote?: string | null | undefined;
}

/** Updates a runner, for administrators of one of its projects. Throws NotFound, Forbidden, ValidationFailed. */
export function updateRunner(context: Context, id: number, changes: RunnerChanges): Promise<void> {
  return changing(context, id, requireChangeable, async (tx) => {
    const before = await tx.runner.findUniqueOrThrow({ where: { id } });
    const values = {
      description: changes.description ?? before.description,
      tagList: changes.tagList ? normalTags(changes.tagList) : before.tagList,
      runUntagged: changes.runUntagged ?? before.runUntagged,
      maximumTimeout: changes.maximumTimeout === undefined ? before.maximumTimeout : changes.maximumTimeout,
      maintenanceNote: changes.maintenanceNote === undefined ? before.maintenanceNote : changes.maintenanceNote,
    };
    checkRunner(values);
    const flags = {
      active: changes.active ?? before.active,
      locked: changes.locked ?? before.locked,
      refProtected: changes.refProtected ?? before.refProtected,
    };
    const whole = await rowBefore(tx, 'Runner', id);
    await tx.runner.update({ where: { id }, data: { ...values, ...flags, updatedAt: new Date() } });
    await auditChanges(tx, context, { action: 'runner_updated', ...(await auditedRunner(tx, id)) }, whole);
  });
}

/** Deletes a project's runner; shared ones and those of several projects only by administrators. Throws NotFound, Forbidden. */
export function deleteRunner(context: Context, id: number): Promise<void> {
  const check = (actor: Actor, runner: RunnerAccess) => {
    if (!actor.admin && isOfManyProjects(runner)) throw new Forbidden(REASONS.manyProjects).asWrongState();
    requireChangeable(actor, runner);
  };
  return changing(context, id, check, async (tx) => {
    await audit(tx, context, { action: 'runner_deleted', ...(await auditedRunner(tx, id)) });
    await tx.runner.deleteMany({ where: { id } });
  });
}

/** Changes a runner that the actor may change, under a lock. */
function changing(
  context: Context,
  id: number,
  check: (actor: Actor, runner: RunnerAccess) => void,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const actor = requireActor(context);
  return context.db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT id FROM runners WHERE id = ${id} FOR UPDATE`;
    const runner = await runnerAccess(tx, actor, id);
    if (!runner) throw new NotFound('Runner');
    check(actor, runner);
    await work(tx);
  });
}
