import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type DeploymentStatus, findDeployment } from '#src/domain/ci/deployments/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { BadRequest, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const CURRENT = select('Deployment', { id: true, status: true, jobId: true, environmentId: true });

/** Changes the status of a deployment by another system. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateDeployment(
  context: Context,
  ref: IdOrPath,
  id: number,
  status: DeploymentStatus,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_deployment', project);
  const { jobId, environmentId } = await findDeployment(context, project, id, CURRENT);
  if (jobId !== null)
    throw new Forbidden('Deployments created using Gantry CI can not be updated using the API').asWrongState();
  await context.db.$transaction(async (tx) => {
    const isRunning = status === 'running';
    const from: DeploymentStatus[] = isRunning ? ['created'] : ['created', 'running', 'success', 'failed', 'canceled'];
    const changed = await tx.deployment.updateMany({
      where: { id, status: { in: from.filter((one) => one !== status) } },
      data: { status, updatedAt: new Date(), finishedAt: isRunning ? null : new Date() },
    });
    if (changed.count === 0) throw new ValidationFailed({ status: [`cannot become ${status}`] }).asWrongState();
    if (status !== 'success') return;
    const data = { state: 'available', updatedAt: new Date() } as const;
    await tx.environment.updateMany({ where: { id: environmentId }, data });
  });
  return { project, id };
}

/** Deletes a deployment that neither runs nor is what its environment has. Throws NotFound, Forbidden, BadRequest. */
export async function deleteDeployment(context: Context, ref: IdOrPath, id: number): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const { status, environmentId } = await findDeployment(context, project, id, CURRENT);
  authorize(actor, 'delete_deployment', project);
  if (status === 'running') throw new BadRequest('Cannot destroy running deployment').asWrongState(status);
  const latest = await context.db.deployment.findFirst({
    where: { environmentId, status: 'success' },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  if (latest?.id === id) throw new BadRequest('Deployment currently deployed to environment').asWrongState(status);
  await context.db.deployment.deleteMany({ where: { id, status: { not: 'running' } } });
  return { id };
}
