import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { administered, holdSite } from '#src/domain/sites/administered.ts';
import { RESTORABLE_HOURS } from '#src/domain/sites/expire.ts';
import { replaceActive } from '#src/domain/sites/publish.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound, WrongState } from '#src/platform/errors.ts';

/** Takes a deployment of a site out of use; it can be restored for a day. Throws NotFound, Forbidden. */
export function deleteSiteDeployment(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  return change(context, ref, id, async (tx, project, { deletedAt }) => {
    if (deletedAt !== null) return;
    const now = new Date();
    await tx.pagesDeployment.update({ where: { id }, data: { deletedAt: now, updatedAt: now } });
    await audit(tx, context, { action: 'pages_deployment_deleted', ...audited(project, id) });
  });
}

/**
 * Puts a deployment back that was deleted or replaced, in the place of the one that is served. Throws NotFound, Forbidden, and WrongState for one that has
 * expired.
 */
export function restoreSiteDeployment(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  return change(context, ref, id, async (tx, project, { deletedAt, expiresAt, pathPrefix }) => {
    if (deletedAt === null) return;
    const now = Date.now();
    if (expiresAt && expiresAt.getTime() <= now) throw new WrongState('The deployment has expired');
    // Its files may be removed at any moment.
    if (deletedAt.getTime() <= now - RESTORABLE_HOURS * 3_600_000) throw new NotFound('PagesDeployment');
    await replaceActive(tx, project.id, pathPrefix);
    await tx.pagesDeployment.update({ where: { id }, data: { deletedAt: null, updatedAt: new Date() } });
    await audit(tx, context, { action: 'pages_deployment_restored', ...audited(project, id) });
  });
}

/** A deployment under the lock of its site. */
interface Held {
  pathPrefix: string;
  expiresAt: Date | null;
  deletedAt: Date | null;
}

async function change(
  context: Context,
  ref: IdOrPath,
  id: number,
  work: (tx: Transaction, project: ProjectRow, held: Held) => Promise<void>,
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    await holdSite(tx, project);
    const held = await tx.pagesDeployment.findFirst({
      where: { id, projectId: project.id },
      select: { pathPrefix: true, expiresAt: true, deletedAt: true },
    });
    if (!held) throw new NotFound('PagesDeployment');
    await work(tx, project, held);
  });
  return { project, id };
}

function audited({ id: projectId }: ProjectRow, id: number) {
  return { place: { projectId }, target: { type: 'PagesDeployment' as const, id, name: `#${id}` } };
}
