import { type Actor, type Context, deployTokenIdOf, userIdOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { type Once, onceIn, requireFirst } from '#src/domain/packages/duplicates.ts';
import { checkKind, checkNames } from '#src/domain/packages/names.ts';
import { requireUnprotected } from '#src/domain/packages/protection_rules.ts';
import { publishableProject, requireRoom, StoredContent } from '#src/domain/packages/receive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
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
    const id = await stored.recordedBy(() => record(context, actor, project, input, stored));
    return { project, id };
  } finally {
    if (!isStored) await stored[Symbol.asyncDispose]();
  }
}

function record(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  { name, version, fileName, status }: NewPackageFile,
  stored: StoredContent,
): Promise<number> {
  return recordPackage(context, { actor, project }, { type: 'generic', name, version, fileName, status }, stored);
}

/** What is known of a file that was published at another server first. */
export interface PublishedBefore {
  /** When the version was published there, and when the file was; null if that is not known. */
  versionAt: Date | null;
  fileAt: Date | null;
  /** What else is recorded in the same transaction; the file is null for a version without files. */
  andThen(tx: Transaction, ids: { packageId: number; fileId: number | null }): Promise<void>;
}

/** A file of a version of a package, and what it says of itself. */
export interface Publication {
  type: Columns['Package']['type'];
  name: string;
  version: string;
  /** With folders. */
  fileName: string;
  status?: Columns['Package']['status'] | null | undefined;
  /** Takes the place of what the package said before. */
  manifest?: object;
  details?: object;
  /** What the protocol publishes once, unless the settings of a group say otherwise; without it, a further file of the name counts in place of the earlier one. */
  once?: Once;
  /** Of what comes from another server. */
  before?: PublishedBefore | undefined;
}

/** Characters of the longest text of what a package says of itself, in JSON. */
const MAX_MANIFEST_LENGTH = 256 * 1024;

/**
 * Records a file in the store as one of a package, which is created with its first file. Returns the ID of the file. Throws NotFound,
 * BadRequest, LimitReached, Unavailable, and for what is published once the refusal.
 */
export async function recordPackage(
  context: Pick<Context, 'db' | 'repositories'>,
  { actor, project }: { actor: Actor; project: Pick<ProjectRow, 'id' | 'accessLevel'> },
  { type, name, version, fileName, status, manifest, details, once, before }: Publication,
  stored: StoredContent,
): Promise<number> {
  requireStorable(details);
  const own = { type, name, version, status, ...(manifest && { manifest }), before };
  if (type !== 'generic') checkKind(type, { name, version, fileName });
  await requireRoom(context, project.id, stored.size);
  const first = await onceIn(context, project.id, own, once);
  return context.db.$transaction(async (tx) => {
    const packageId = await saveVersion(tx, { actor, project }, own);
    if (first) await requireFirst(tx, packageId, { type, version, fileName }, first);
    const fileId = await recordFile(tx, { project, packageId, fileName, details, before }, stored);
    await before?.andThen(tx, { packageId, fileId });
    return fileId;
  });
}

/**
 * Records a version in the transaction of the caller, or what one says of itself now. Others who record the same one wait for the end of
 * the transaction. Returns its ID. Throws BadRequest, and Forbidden where a rule protects packages of the name.
 */
export async function saveVersion(
  tx: Transaction,
  { actor, project }: { actor: Actor; project: Pick<ProjectRow, 'id' | 'accessLevel'> },
  { type, name, version, status, manifest, before }: Omit<Publication, 'fileName'>,
): Promise<number> {
  requireStorable(manifest);
  await requireUnprotected(tx, { actor, project }, 'push', { type, name });
  const key = { projectId: project.id, type, name, version };
  const said = manifest && { manifest: manifest as never };
  const { id } = await tx.package.upsert({
    where: { projectId_type_name_version: key },
    create: { ...key, ...publisherOf(actor), ...timeOf(before?.versionAt), status: status ?? 'default', ...said },
    update: { updatedAt: new Date(), ...(status && { status }), ...said },
    select: { id: true },
  });
  return id;
}

/** Throws BadRequest for what is too long, or what the database cannot hold. */
function requireStorable(json: object | undefined): void {
  if (json === undefined) return;
  const text = JSON.stringify(json);
  if (text.length > MAX_MANIFEST_LENGTH) throw new BadRequest('The package says too much of itself').as('limitReached');
  if (text.includes('\\u0000')) throw new BadRequest('The package says something with NUL of itself');
}

/** The columns with when something was published elsewhere, which was not in the future. */
export function timeOf(at: Date | null | undefined): { createdAt?: Date } {
  return at && at.getTime() < Date.now() ? { createdAt: at } : {};
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
  {
    project: { id: projectId },
    packageId,
    fileName,
    details,
    before,
  }: {
    project: { id: number };
    packageId: number;
    fileName: string;
    details?: object | undefined;
    before?: PublishedBefore | undefined;
  },
  { place, size, checksums }: StoredContent,
): Promise<number> {
  // Locks the project, so that a concurrent deletion waits, and then finds the file.
  const alive = await tx.$queryRaw<object[]>`
    SELECT id FROM projects WHERE id = ${projectId} AND deleted_at IS NULL FOR SHARE`;
  if (alive.length === 0) throw new NotFound('Project');
  const own = {
    ...{ secret: place.secret, storedAs: place.fileName, fileName, size, ...checksums },
    ...(details && { details: details as never }),
    ...timeOf(before?.fileAt),
  };
  const { id } = await tx.packageFile.create({ data: { packageId, projectId, ...own }, select: { id: true } });
  await tx.$executeRaw`
    UPDATE project_counters SET packages_size = packages_size + ${size}::bigint WHERE project_id = ${projectId}`;
  return id;
}
