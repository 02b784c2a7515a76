import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import { requireUnprotected } from '#src/domain/packages/protection_rules.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes files of packages whose record is gone. */
    'packages.remove': { files: { projectId: number; secret: string }[] };
  }
}

/** Deletes a package with its files. Returns its ID. Throws NotFound, Forbidden. */
export async function deletePackage(context: Context, ref: IdOrPath, id: number): Promise<number> {
  const project = await deletable(context, ref);
  await context.db.$transaction(async (tx) => {
    const [there] = await tx.$queryRaw<object[]>`
      SELECT id FROM packages WHERE id = ${id} AND project_id = ${project.id} FOR UPDATE`;
    if (!there) throw new NotFound('Package');
    await requireDeletable(tx, context, project, { id });
    await forgetFiles(tx, context, project, { packageId: id });
    await tx.package.deleteMany({ where: { id } });
  });
  return id;
}

/** Deletes a file of a package, the given one if any; the package stays, even if it is empty then. Returns its ID. Throws NotFound, Forbidden. */
export async function deletePackageFile(
  context: Context,
  ref: IdOrPath,
  { packageId, id }: { packageId?: number | null | undefined; id: number },
): Promise<number> {
  const project = await deletable(context, ref);
  await context.db.$transaction(async (tx) => {
    await requireDeletable(tx, context, project, { files: { some: { id } } });
    if ((await forgetFiles(tx, context, project, { ...(packageId != null && { packageId }), id })) === 0)
      throw new NotFound('PackageFile');
  });
  return id;
}

/** Deletes the files of a package whose names begin so, and the package with its last file. Returns how many there were. Throws NotFound, Forbidden. */
export async function deleteFilesBelow(
  context: Context,
  ref: IdOrPath,
  { packageId, prefix }: { packageId: number; prefix: string },
): Promise<number> {
  const project = await deletable(context, ref);
  return context.db.$transaction(async (tx) => {
    await requireDeletable(tx, context, project, { id: packageId });
    const count = await forgetFiles(tx, context, project, { packageId, fileName: { startsWith: prefix } });
    if ((await tx.packageFile.count({ where: { packageId } })) === 0)
      await tx.package.deleteMany({ where: { id: packageId } });
    return count;
  });
}

async function deletable(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'delete_package', project);
  return project;
}

/** Throws Forbidden where a rule protects the package. */
async function requireDeletable(
  tx: Transaction,
  { actor }: Context,
  project: ProjectRow,
  which: { id: number } | { files: { some: { id: number } } },
): Promise<void> {
  const where = { ...which, projectId: project.id };
  const found = await tx.package.findFirst({ where, select: { type: true, name: true } });
  if (found) await requireUnprotected(tx, { actor, project }, 'delete', found);
}

/** Deletes the records of files in the transaction of the caller, with a background job for their content. Returns how many there were. */
export async function forgetFiles(
  tx: Transaction,
  { jobs }: Pick<Context, 'jobs'>,
  { id: projectId }: Pick<ProjectRow, 'id'>,
  which: {
    packageId?: number;
    id?: number;
    fileName?: { startsWith: string } | { in: string[] };
    createdAt?: { lt: Date };
  },
): Promise<number> {
  const where = { ...which, projectId };
  const files = await tx.packageFile.findMany({ where, select: { id: true, secret: true, size: true } });
  const { count } = await tx.packageFile.deleteMany({ where: { id: { in: files.map(({ id }) => id) } } });
  if (count === 0) return 0;
  const size = files.reduce((sum, file) => sum + file.size, 0n);
  await tx.$executeRaw`UPDATE project_counters SET packages_size = greatest(0, packages_size - ${size}::bigint)
    WHERE project_id = ${projectId}`;
  await jobs.enqueue(tx, 'packages.remove', { files: files.map(({ secret }) => ({ projectId, secret })) });
  return count;
}

/** Removes the content of files. */
export async function removePackageFiles(
  stores: Pick<Context, 'uploads'>,
  files: readonly { projectId: number; secret: string }[],
): Promise<void> {
  const store = packagesStore(stores);
  for (const file of files) await store.remove(file);
}
