import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import { cancelUpdate } from '#src/domain/remote_imports/update_end.ts';
import { holdRepositoryLock } from '#src/domain/repository/lock.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { forgetLfsObjects } from '#src/domain/uploads/lfs/objects.ts';
import type { WithUploads } from '#src/domain/uploads/store.ts';
import type { Prisma, Transaction } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** How many things that were left out are kept. */
const MAX_LEFT_OUT = 1_000;

/** Records that an import came to its end, and forgets its token. */
export async function endImport(
  tx: Transaction,
  projectId: number,
  leftOut: readonly LeftOut[],
  failed: readonly FailedRelation[],
): Promise<void> {
  const failures = failed.map(({ relation, message }) => ({ kind: relation, name: null, message }));
  await tx.remoteImport.update({
    where: { projectId },
    data: {
      source: null,
      phase: null,
      continuesAt: null,
      finishedAt: new Date(),
      leftOut: [...leftOut, ...failures].slice(0, MAX_LEFT_OUT) as unknown as Prisma.InputJsonArray,
    },
  });
}

/** Leaves an empty project with the error. Does nothing unless it waits for an import. */
export async function failRemoteImport(
  stores: WithRepositories & WithUploads,
  projectId: number,
  message: string,
): Promise<void> {
  await abandon(stores, projectId, { importStatus: 'failed', importError: message });
}

/** Cancels an import for whoever may: the project stays empty. Does nothing unless it waits for an import. */
export async function cancelRemoteImport(stores: WithRepositories & WithUploads, projectId: number): Promise<void> {
  await abandon(stores, projectId, { importStatus: 'canceled', importError: null });
}

/**
 * Cancels an import that is not finished: the project stays empty; or an update, which leaves the project as it is. For those who administer the project. Throws NotFound for a project
 * that was not imported from another server, Forbidden, BadRequest for an import that has ended.
 */
export async function cancelImport(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const where = { projectId: project.id };
  if (!(await context.db.remoteImport.findUnique({ where, select: { projectId: true } })))
    throw new NotFound('Project');
  authorize(actor, 'update_project', project);
  if (await cancelUpdate(context, project)) return findProject(context, project.id);
  const isCanceled = await abandon(context, project.id, { importStatus: 'canceled', importError: null });
  if (!isCanceled) {
    const { importStatus } = await context.db.project.findUniqueOrThrow({
      where: { id: project.id },
      select: { importStatus: true },
    });
    throw new BadRequest(`The import cannot be canceled because it is ${importStatus}`).asWrongState();
  }
  return findProject(context, project.id);
}

/** Ends an import without a project; returns whether it was still waiting. */
async function abandon(
  { db, repositories, uploads }: WithRepositories & WithUploads,
  projectId: number,
  outcome: Pick<Prisma.ProjectUncheckedUpdateInput, 'importStatus' | 'importError'>,
): Promise<boolean> {
  const project = await db.$transaction(async (tx) => {
    // In the order in which an import locks that fills the project.
    await tx.$queryRaw`SELECT id FROM projects WHERE id = ${projectId} FOR NO KEY UPDATE`;
    const [waiting] = await tx.$queryRaw<object[]>`
      SELECT project_id FROM remote_imports WHERE project_id = ${projectId} AND source IS NOT NULL FOR UPDATE`;
    if (!waiting) return null;
    const found = await tx.project.update({ where: { id: projectId }, data: outcome });
    await holdRepositoryLock(db, tx, projectId, async () => {
      await repositories.remove(found);
      await repositories.remove({ ...found, wiki: true });
    });
    await forgetLfsObjects(tx, projectId);
    await forgetPublished(tx, projectId);
    const data = { source: null, continuesAt: null, finishedAt: new Date() };
    await tx.remoteImport.update({ where: { projectId }, data });
    return found;
  });
  if (project === null) return false;
  await uploads.remove({ projectId });
  await packagesStore({ uploads }).remove({ projectId });
  await repositories.removeStaging(project);
  return true;
}

/** Forgets the packages and images that came before the project was filled; a clean-up removes the blobs of images. */
async function forgetPublished(tx: Transaction, projectId: number): Promise<void> {
  const where = { projectId };
  await tx.package.deleteMany({ where });
  await tx.containerRepository.deleteMany({ where });
  await tx.remoteRecord.deleteMany({ where });
  await tx.projectCounters.updateMany({ where, data: { packagesSize: 0, containerRegistrySize: 0 } });
}
