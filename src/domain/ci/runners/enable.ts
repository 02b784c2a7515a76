import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { auditedRunner } from '#src/domain/ci/runners/audit.ts';
import { REASONS, runnerAccess } from '#src/domain/ci/runners/visibility.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { AlreadyExists, Forbidden, NotFound } from '#src/platform/errors.ts';

/** Enables a runner for another project. The actor must administer both. Throws NotFound, Forbidden, Conflict. */
export async function enableRunner(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const { actor, project } = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    await lockRunner(tx, id);
    const runner = await runnerAccess(tx, actor, id);
    if (!runner) throw new NotFound('Runner');
    if (runner.isShared) throw new Forbidden(REASONS.shared).asWrongState();
    if (runner.groupId !== null) throw new Forbidden(REASONS.ofGroup).asWrongState();
    if (runner.locked) throw new Forbidden(REASONS.locked).asWrongState();
    if (!actor.admin && !runner.isAdministered) throw new Forbidden(REASONS.noAccess);
    const { count } = await tx.runnerProject.createMany({
      data: [{ runnerId: id, projectId: project.id }],
      skipDuplicates: true,
    });
    if (count === 0)
      throw new AlreadyExists('Runner was already enabled for this project', { type: 'Runner', where: { id } });
    const { target } = await auditedRunner(tx, id);
    await audit(tx, context, { action: 'runner_enabled', place: { projectId: project.id }, target });
    await noteChange(tx, id);
  });
}

/** Disables a runner for a project; its last project must stay. Throws NotFound, Forbidden. */
export async function disableRunner(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const { project } = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    await lockRunner(tx, id);
    const projects = await tx.runnerProject.findMany({ where: { runnerId: id }, select: { projectId: true } });
    if (!projects.some(({ projectId }) => projectId === project.id)) throw new NotFound('Runner');
    if (projects.length === 1) throw new Forbidden(REASONS.onlyProject).asWrongState();
    await tx.runnerProject.deleteMany({ where: { runnerId: id, projectId: project.id } });
    const { target } = await auditedRunner(tx, id);
    await audit(tx, context, { action: 'runner_disabled', place: { projectId: project.id }, target });
    await noteChange(tx, id);
  });
}

/** Keeps two concurrent calls from removing its last two projects. */
async function lockRunner(tx: Transaction, id: number): Promise<void> {
  await tx.$executeRaw`SELECT id FROM runners WHERE id = ${id} FOR UPDATE`;
}

/** Makes the runner look for jobs again, as other jobs may be available to it now. */
async function noteChange(tx: Transaction, id: number): Promise<void> {
  await tx.runner.update({ where: { id }, data: { updatedAt: new Date() }, select: { id: true } });
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project: ProjectRow = await findProject(context, ref);
  authorize(actor, 'admin_runner', project);
  return { actor, project };
}
