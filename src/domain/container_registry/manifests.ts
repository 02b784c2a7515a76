import { type Actor, type Context, deployTokenIdOf, userIdOf } from '#src/access/permissions/actor.ts';
import type { ImageRepository } from '#src/domain/container_registry/access.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { type Descriptor, type ParsedManifest, parseManifest } from '#src/domain/container_registry/manifest.ts';
import type { referenceOf } from '#src/domain/container_registry/names.ts';
import { addSize, lockSize, recountSize, requireRoom } from '#src/domain/container_registry/size.ts';
import {
  deletableTags,
  requireDeletable,
  requireNoOther,
  requirePushable,
} from '#src/domain/container_registry/tag_protection.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** A manifest without its content. */
export interface ManifestRow {
  id: number;
  digest: string;
  mediaType: string;
  /** Of the content, in bytes. */
  size: number;
}

type Reference = ReturnType<typeof referenceOf>;

/** The manifest that a tag or a digest names. Throws RegistryError. */
export async function findManifest(
  { db }: { db: Pick<Db, '$queryRaw'> },
  repository: Pick<ImageRepository, 'id'>,
  reference: Reference,
): Promise<ManifestRow> {
  const [found] = await db.$queryRaw<ManifestRow[]>`
    SELECT m.id, m.digest, m.media_type AS "mediaType", m.size FROM container_manifests m
    WHERE m.repository_id = ${repository.id} AND ${named(repository, reference)}`;
  if (!found) throw new RegistryError('MANIFEST_UNKNOWN', 'The repository has no such manifest', { ...reference });
  return found;
}

function named({ id }: Pick<ImageRepository, 'id'>, reference: Reference): Prisma.Sql {
  if ('digest' in reference) return Prisma.sql`m.digest = ${reference.digest}`;
  return Prisma.sql`m.id = (SELECT t.manifest_id FROM container_tags t WHERE t.repository_id = ${id} AND t.name = ${reference.tag})`;
}

/** The content of a manifest, as it was sent. */
export async function manifestContent({ db }: Pick<Context, 'db'>, { id }: ManifestRow): Promise<Buffer> {
  const found = await db.containerManifest.findUnique({ where: { id }, select: { content: true } });
  if (!found) throw new RegistryError('MANIFEST_UNKNOWN', 'The manifest was deleted');
  return Buffer.from(found.content);
}

/**
 * Stores a manifest whose blobs and manifests the repository has, and has the tag lead to it. Throws RegistryError, Forbidden,
 * LimitReached.
 */
export async function putManifest(
  context: Pick<Context, 'db' | 'repositories' | 'actor'>,
  repository: ImageRepository,
  reference: Reference,
  { content, type }: { content: Buffer; type: string },
): Promise<ParsedManifest> {
  const manifest = parseManifest(content, type);
  if ('digest' in reference && reference.digest !== manifest.digest) {
    throw new RegistryError('DIGEST_INVALID', 'The manifest has another digest', { digest: manifest.digest });
  }
  const { project } = repository;
  const projectId = project.id;
  const { isImmutable } =
    'tag' in reference
      ? await requirePushable(context.db, { actor: context.actor, project }, reference.tag)
      : { isImmutable: false };
  await requireRoom(context, projectId, { bytes: 0, more: content.length });
  await context.db.$transaction(async (tx) => {
    await lockSize(tx, projectId);
    const blobs = await presentBlobs(tx, repository, manifest.blobs);
    const listed = await presentManifests(tx, repository, manifest.manifests);
    const ofManifests = listed.reduce((sum, one) => sum + one.totalSize, 0);
    const totalSize = manifest.blobs.reduce((sum, { size }) => sum + size, ofManifests);
    const { id, isNew } = await insert(tx, repository, manifest, { content, totalSize });
    if (isNew) {
      const ids = { blobs: blobs.map((blob) => blob.id), manifests: listed.map((one) => one.id) };
      await tx.$executeRaw`INSERT INTO container_manifest_blobs (manifest_id, repository_id, blob_id)
        SELECT ${id}, ${repository.id}, unnest(${ids.blobs}::int[])`;
      await tx.$executeRaw`INSERT INTO container_manifests_of_indexes (index_id, listed_id)
        SELECT ${id}, unnest(${ids.manifests}::int[])`;
      await addSize(tx, projectId, content.length);
    }
    if ('tag' in reference) await setTag(tx, repository, reference.tag, { id, actor: context.actor, isImmutable });
  });
  return manifest;
}

/** The blobs that a manifest needs. Throws RegistryError unless the repository has all, in the size that the manifest says. */
async function presentBlobs(tx: Transaction, { id }: ImageRepository, needed: readonly Descriptor[]) {
  const rows = await tx.$queryRaw<{ id: number; digest: string; size: bigint }[]>`
    SELECT b.id, b.digest, b.size FROM container_blobs b JOIN container_repository_blobs l ON l.blob_id = b.id
    WHERE l.repository_id = ${id} AND b.digest = ANY(${needed.map(({ digest }) => digest)}::text[]) FOR KEY SHARE OF l`;
  requireAll(needed, rows);
  return rows;
}

/** The manifests that an index lists. Throws RegistryError as presentBlobs. */
async function presentManifests(tx: Transaction, { id }: ImageRepository, needed: readonly Descriptor[]) {
  const rows = await tx.$queryRaw<{ id: number; digest: string; size: number; totalSize: number }[]>`
    SELECT m.id, m.digest, m.size, m.total_size::float8 AS "totalSize" FROM container_manifests m
    WHERE m.repository_id = ${id} AND m.digest = ANY(${needed.map(({ digest }) => digest)}::text[]) FOR KEY SHARE`;
  requireAll(needed, rows);
  return rows;
}

/** How many missing digests an error names. */
const NAMED = 20;

function requireAll(
  needed: readonly Descriptor[],
  present: readonly { digest: string; size: number | bigint }[],
): void {
  const sizes = new Map(present.map(({ digest, size }) => [digest, Number(size)]));
  const missing = needed.map(({ digest }) => digest).filter((digest) => !sizes.has(digest));
  if (missing.length > 0) {
    const message = 'The repository lacks what the manifest needs';
    throw new RegistryError('MANIFEST_BLOB_UNKNOWN', message, { digests: missing.slice(0, NAMED) });
  }
  const odd = needed.find(({ digest, size }) => sizes.get(digest) !== size);
  if (odd) throw new RegistryError('MANIFEST_INVALID', 'A size is not that of the content', { digest: odd.digest });
}

async function insert(
  tx: Transaction,
  { id: repositoryId }: ImageRepository,
  { digest, mediaType, artifactType, configDigest, subjectDigest, annotations }: ParsedManifest,
  { content, totalSize }: { content: Buffer; totalSize: number },
): Promise<{ id: number; isNew: boolean }> {
  const where = { repositoryId_digest: { repositoryId, digest } };
  const known = await tx.containerManifest.findUnique({ where, select: { id: true } });
  if (known) {
    await tx.containerManifest.update({
      where: { id: known.id },
      data: { touchedAt: new Date() },
      select: { id: true },
    });
    return { id: known.id, isNew: false };
  }
  const data = {
    ...{ repositoryId, digest, mediaType, artifactType, configDigest, subjectDigest },
    annotations: annotations ?? Prisma.DbNull,
    content: new Uint8Array(content),
    size: content.length,
    totalSize: BigInt(totalSize),
  };
  const { id } = await tx.containerManifest.create({ data, select: { id: true } });
  return { id, isNew: true };
}

/** Has a tag lead to a manifest, which the actor sends. Throws Forbidden for an immutable one that leads to another. */
async function setTag(
  tx: Transaction,
  { id }: ImageRepository,
  name: string,
  manifest: { id: number; actor: Actor | null; isImmutable: boolean },
): Promise<void> {
  if (manifest.isImmutable) {
    const where = { repositoryId_name: { repositoryId: id, name } };
    const known = await tx.containerTag.findUnique({ where, select: { manifestId: true } });
    if (known?.manifestId === manifest.id) return;
    if (known) throw new Forbidden(`The tag ${name} cannot be changed: it is immutable`);
  }
  await tx.$executeRaw`UPDATE container_manifests SET touched_at = now() WHERE id = (
    SELECT manifest_id FROM container_tags WHERE repository_id = ${id} AND name = ${name})`;
  const [user, token] = [manifest.actor && userIdOf(manifest.actor), manifest.actor && deployTokenIdOf(manifest.actor)];
  await tx.$executeRaw`
    INSERT INTO container_tags (repository_id, name, manifest_id, pushed_by_id, deploy_token_id)
    VALUES (${id}, ${name}, ${manifest.id}, ${user}, ${token})
    ON CONFLICT (repository_id, name) DO UPDATE SET manifest_id = EXCLUDED.manifest_id, pushed_at = now(),
      pushed_by_id = EXCLUDED.pushed_by_id, deploy_token_id = EXCLUDED.deploy_token_id`;
}

/** Deletes a tag, or the manifest of a digest with its tags. Throws Forbidden, and RegistryError, also for a manifest that an index lists. */
export async function deleteManifest(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  repository: ImageRepository,
  reference: Reference,
): Promise<void> {
  const { project, id: repositoryId } = repository;
  const projectId = project.id;
  const found = 'tag' in reference ? null : await findManifest({ db }, repository, reference);
  const which = { repositoryId, manifestId: found?.id ?? 0 };
  const names = found && (await deletableTags(db, { actor, project }, which));
  if ('tag' in reference) await requireDeletable(db, { actor, project }, [reference.tag]);
  await db.$transaction(async (tx) => {
    await lockSize(tx, projectId);
    if ('tag' in reference) {
      if ((await deleteTags(tx, repository.id, [reference.tag])) > 0) return;
      throw new RegistryError('MANIFEST_UNKNOWN', 'The repository has no such tag', { ...reference });
    }
    const { id } = await findManifest({ db: tx }, repository, reference);
    await requireNoOther(tx, projectId, { repositoryId, manifestId: id }, names);
    if (await tx.containerManifestOfIndex.findFirst({ where: { listedId: id }, select: { indexId: true } })) {
      throw new RegistryError('UNSUPPORTED', 'An index lists this manifest', { ...reference });
    }
    await tx.containerManifest.deleteMany({ where: { id } });
    await recountSize(tx, projectId);
  });
}

/** Removes tags of a repository; what they led to stays until the next clean-up a day later. Returns how many there were. */
export async function deleteTags(tx: Transaction, repositoryId: number, names: readonly string[]): Promise<number> {
  await tx.$executeRaw`UPDATE container_manifests SET touched_at = now() WHERE id IN (
    SELECT manifest_id FROM container_tags WHERE repository_id = ${repositoryId} AND name = ANY(${[...names]}::text[]))`;
  return tx.$executeRaw`
    DELETE FROM container_tags WHERE repository_id = ${repositoryId} AND name = ANY(${[...names]}::text[])`;
}
