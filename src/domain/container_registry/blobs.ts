import type { Context } from '#src/access/permissions/actor.ts';
import type { ImageRepository } from '#src/domain/container_registry/access.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { containersStore, placeOf } from '#src/domain/container_registry/place.ts';
import { addSize, lockSize, recountSize } from '#src/domain/container_registry/size.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { openStored } from '#src/domain/uploads/content.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** A blob in the store. */
export interface BlobRow {
  id: number;
  digest: string;
  /** In bytes. */
  size: number;
  secret: string;
}

/** A blob of a repository. Throws RegistryError. */
export async function findBlob(
  { db }: { db: Pick<Db, '$queryRaw'> },
  repository: Pick<ImageRepository, 'id'>,
  digest: string,
): Promise<BlobRow> {
  const [row] = await db.$queryRaw<(Omit<BlobRow, 'size'> & { size: bigint })[]>`
    SELECT b.id, b.digest, b.size, b.secret FROM container_blobs b
      JOIN container_repository_blobs l ON l.blob_id = b.id AND l.repository_id = ${repository.id}
    WHERE b.digest = ${digest}`;
  if (!row) throw new RegistryError('BLOB_UNKNOWN', 'The repository has no such blob', { digest });
  return { ...row, size: Number(row.size) };
}

/** The content of a blob, to send it whole or in part. Throws NotFound if the store has lost it. */
export function readBlob(context: Pick<Context, 'uploads'>, blob: BlobRow): Promise<RawContent> {
  return openStored(containersStore(context), placeOf(blob), {
    resource: 'Blob',
    size: blob.size,
    fileName: blob.digest.replace(':', '-'),
    etag: `"${blob.digest}"`,
    headers: { 'Docker-Content-Digest': blob.digest },
  });
}

/**
 * Records content in the store as a blob of a repository, in the transaction of the caller. Returns whether this copy is the one that is
 * kept: of what another project has already, one is.
 */
export async function recordBlob(
  tx: Transaction,
  repository: ImageRepository,
  { digest, size, secret }: Omit<BlobRow, 'id'>,
): Promise<boolean> {
  await lockSize(tx, repository.project.id);
  // The update locks a row that is there, against removal.
  const [blob] = await tx.$queryRaw<{ id: number; secret: string }[]>`
    INSERT INTO container_blobs (digest, size, secret) VALUES (${digest}, ${size}::bigint, ${secret})
    ON CONFLICT (digest) DO UPDATE SET digest = EXCLUDED.digest RETURNING id, secret`;
  if (!blob) throw new Error(`The blob ${digest} was not recorded`);
  await link(tx, repository, { id: blob.id, size });
  return blob.secret === secret;
}

/** Gives a repository a blob that another one has, which the actor may read. Throws RegistryError, if that has it no more. */
export async function mountBlob(
  { db }: Pick<Context, 'db'>,
  into: ImageRepository,
  from: ImageRepository,
  digest: string,
): Promise<void> {
  await db.$transaction(async (tx) => {
    await lockSize(tx, into.project.id);
    const blob = await findBlob({ db: tx }, from, digest);
    await tx.$queryRaw`SELECT 1 FROM container_blobs WHERE id = ${blob.id} FOR KEY SHARE`;
    await link(tx, into, blob);
  });
}

async function link(tx: Transaction, { id, project }: ImageRepository, blob: { id: number; size: number }) {
  const [known] = await tx.$queryRaw<object[]>`
    SELECT 1 FROM container_repository_blobs l JOIN container_repositories r ON r.id = l.repository_id
    WHERE l.blob_id = ${blob.id} AND r.project_id = ${project.id} LIMIT 1`;
  await tx.$executeRaw`
    INSERT INTO container_repository_blobs (repository_id, blob_id) VALUES (${id}, ${blob.id})
    ON CONFLICT (repository_id, blob_id) DO UPDATE SET created_at = now()`;
  if (!known) await addSize(tx, project.id, blob.size);
}

/** Takes a blob from a repository. Throws RegistryError, also if a manifest needs it. */
export async function deleteBlob(
  { db }: Pick<Context, 'db'>,
  repository: ImageRepository,
  digest: string,
): Promise<void> {
  await db.$transaction(async (tx) => {
    await lockSize(tx, repository.project.id);
    const { id } = await findBlob({ db: tx }, repository, digest);
    const key = { repositoryId: repository.id, blobId: id };
    if (await tx.containerManifestBlob.findFirst({ where: key, select: { blobId: true } })) {
      throw new RegistryError('UNSUPPORTED', 'A manifest needs this blob', { digest });
    }
    await tx.containerBlobOfRepository.deleteMany({ where: key });
    await recountSize(tx, repository.project.id);
  });
}
