import { containersStore, placeOf } from '#src/domain/container_registry/place.ts';
import { lockSize, recountSize } from '#src/domain/container_registry/size.ts';
import { removeUploads } from '#src/domain/container_registry/uploads.ts';
import type { StoredFile, WithUploads } from '#src/domain/uploads/store.ts';
import { findUnrecordedFiles, secretsOf } from '#src/domain/uploads/unrecorded.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** How long uploads, manifests and blobs stay that nothing needs. */
const GRACE = sql`interval '1 day'`;

/** How many of each kind one run removes. */
const MAX_REMOVED_PER_RUN = 1_000;

/** What nothing keeps any more: no tag, no index, and nothing that it is about. */
const LOOSE_MANIFEST = sql`m.touched_at < now() - ${GRACE}
  AND NOT EXISTS (SELECT 1 FROM container_tags t WHERE t.manifest_id = m.id)
  AND NOT EXISTS (SELECT 1 FROM container_manifests_of_indexes i WHERE i.listed_id = m.id)
  AND (m.subject_digest IS NULL OR NOT EXISTS (
    SELECT 1 FROM container_manifests s WHERE s.repository_id = m.repository_id AND s.digest = m.subject_digest))`;

const LOOSE_LINK = sql`l.created_at < now() - ${GRACE} AND NOT EXISTS (
  SELECT 1 FROM container_manifest_blobs b WHERE b.repository_id = l.repository_id AND b.blob_id = l.blob_id)`;

/**
 * Removes uploads that were broken off, manifests that no tag leads to, and blobs that no manifest needs, a day after they were last
 * used, and files that were not recorded after an hour: of each kind at most a thousand.
 */
export async function cleanUpContainers(stores: WithUploads): Promise<void> {
  await removeExpiredUploads(stores);
  await removeLoose(stores);
  await removeUnusedBlobs(stores);
  const store = containersStore(stores);
  let removed = 0;
  for await (const file of findUnrecordedContainerFiles(stores)) {
    await store.remove(file);
    if (++removed >= MAX_REMOVED_PER_RUN) return;
  }
}

async function removeExpiredUploads(stores: WithUploads): Promise<void> {
  const expired = await stores.db.$queryRaw<{ id: string }[]>`
    SELECT id FROM container_uploads WHERE touched_at < now() - ${GRACE} ORDER BY touched_at LIMIT ${MAX_REMOVED_PER_RUN}`;
  await removeUploads(
    stores,
    expired.map(({ id }) => id),
  );
}

/** Removes manifests and then blobs of repositories, project by project, whose sizes change. */
async function removeLoose({ db }: WithUploads): Promise<void> {
  const projects = await db.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT r.project_id AS id FROM container_repositories r
    WHERE r.id IN (SELECT m.repository_id FROM container_manifests m WHERE ${LOOSE_MANIFEST})
      OR r.id IN (SELECT l.repository_id FROM container_repository_blobs l WHERE ${LOOSE_LINK})
    ORDER BY 1 LIMIT ${MAX_REMOVED_PER_RUN}`;
  for (const { id } of projects) await db.$transaction((tx) => removeLooseOf(tx, id));
}

async function removeLooseOf(tx: Transaction, projectId: number): Promise<void> {
  // Whoever pushes holds this lock, too.
  await lockSize(tx, projectId);
  const ofProject = sql`repository_id IN (SELECT id FROM container_repositories WHERE project_id = ${projectId})`;
  let count = 0;
  // What an index listed, and what was about a manifest, is loose only now.
  do {
    count = await tx.$executeRaw`DELETE FROM container_manifests WHERE id IN (
      SELECT m.id FROM container_manifests m WHERE m.${ofProject} AND ${LOOSE_MANIFEST} ORDER BY m.id LIMIT ${MAX_REMOVED_PER_RUN})`;
  } while (count > 0 && count < MAX_REMOVED_PER_RUN);
  await tx.$executeRaw`DELETE FROM container_repository_blobs WHERE (repository_id, blob_id) IN (
    SELECT l.repository_id, l.blob_id FROM container_repository_blobs l WHERE l.${ofProject} AND ${LOOSE_LINK} LIMIT ${MAX_REMOVED_PER_RUN})`;
  await recountSize(tx, projectId);
}

/** The rows go first: a file without a row is found by the next run. */
async function removeUnusedBlobs(stores: WithUploads): Promise<void> {
  const isUnused = sql`NOT EXISTS (SELECT 1 FROM container_repository_blobs l WHERE l.blob_id = b.id)`;
  const gone = await stores.db.$transaction(async (tx) => {
    // Uploads of the same content lock the row, too.
    const rows = await tx.$queryRaw<{ id: number }[]>`
      SELECT b.id FROM container_blobs b WHERE b.created_at < now() - interval '1 hour' AND ${isUnused}
      ORDER BY b.id LIMIT ${MAX_REMOVED_PER_RUN} FOR UPDATE SKIP LOCKED`;
    return tx.$queryRaw<{ secret: string }[]>`
      DELETE FROM container_blobs b WHERE b.id = ANY(${rows.map(({ id }) => id)}::int[]) AND ${isUnused} RETURNING secret`;
  });
  const store = containersStore(stores);
  for (const blob of gone) await store.remove(placeOf(blob));
}

/** Finds files older than an hour that no blob and no upload has, which no push can still record. */
export function findUnrecordedContainerFiles({ db, uploads }: WithUploads): AsyncGenerator<StoredFile> {
  const select = { secret: true };
  return findUnrecordedFiles(containersStore({ uploads }), async (files) => {
    const where = secretsOf(files);
    // Parts first: one that becomes a blob meanwhile is found among these.
    const parts = await db.containerUploadPart.findMany({ where, select });
    return [...parts, ...(await db.containerBlob.findMany({ where, select }))].map(placeOf);
  });
}
