import { type Actor, type Context, deployTokenIdOf, userIdOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { checkNames } from '#src/domain/packages/names.ts';
import { publishableProject, StoredContent } from '#src/domain/packages/receive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import type { Columns } from '#src/platform/records/model.ts';

export interface NewPackageFile {
  name: string;
  version: string;
  /** With folders. */
  fileName: string;
  status?: Columns['Package']['status'] | null | undefined;
  file: IncomingFile;
}

/** Identifies a published file. */
export interface PublishedFile {
  project: ProjectRow;
  id: number;
}

/**
 * Adds a file to a package, which is created with its first file. A further file of the same name counts in place of the earlier one,
 * which stays. Throws NotFound, Forbidden, BadRequest.
 */
export async function publishFile(context: Context, ref: IdOrPath, input: NewPackageFile): Promise<PublishedFile> {
  const { actor, project } = await publishableProject(context, ref);
  checkNames(input);
  const { file } = input;
  const received = { name: file.name, size: file.size, content: file.stream() };
  const isStored = file instanceof StoredContent && file.place.projectId === project.id;
  const stored = isStored ? file : await StoredContent.receive(context, project.id, received);
  try {
    const id = await record(context, actor, project, input, stored);
    stored.keep();
    return { project, id };
  } finally {
    if (!isStored) await stored[Symbol.asyncDispose]();
  }
}

async function record(
  { db }: Context,
  actor: Actor,
  project: ProjectRow,
  { name, version, fileName, status }: NewPackageFile,
  stored: StoredContent,
): Promise<number> {
  const projectId = project.id;
  return db.$transaction(async (tx) => {
    const key = { projectId, type: 'generic', name, version } as const;
    const { id: packageId } = await tx.package.upsert({
      where: { projectId_type_name_version: key },
      create: { ...key, ...publisherOf(actor), status: status ?? 'default' },
      update: { updatedAt: new Date(), ...(status && { status }) },
      select: { id: true },
    });
    return recordFile(tx, { project, packageId, fileName }, stored);
  });
}

/** The columns with who publishes a package. */
export function publisherOf(actor: Actor) {
  return { creatorId: userIdOf(actor), deployTokenId: deployTokenIdOf(actor) };
}

/**
 * Records a file of a package in the transaction of the caller, and counts its size. Returns its ID. Throws NotFound if the project
 * was deleted meanwhile.
 */
export async function recordFile(
  tx: Transaction,
  { project: { id: projectId }, packageId, fileName }: { project: { id: number }; packageId: number; fileName: string },
  { place, size, checksums }: StoredContent,
): Promise<number> {
  // Locks the project, so that a concurrent deletion waits, and then finds the file.
  const alive = await tx.$queryRaw<object[]>`
    SELECT id FROM projects WHERE id = ${projectId} AND deleted_at IS NULL FOR SHARE`;
  if (alive.length === 0) throw new NotFound('Project');
  const own = { secret: place.secret, storedAs: place.fileName, fileName, size, ...checksums };
  const { id } = await tx.packageFile.create({ data: { packageId, projectId, ...own }, select: { id: true } });
  await tx.$executeRaw`
    UPDATE project_counters SET packages_size = packages_size + ${size}::bigint WHERE project_id = ${projectId}`;
  return id;
}
