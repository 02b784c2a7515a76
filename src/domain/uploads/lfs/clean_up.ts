import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { StoredFile, WithUploads } from '#src/domain/uploads/store.ts';
import { findUnrecordedFiles, secretsOf } from '#src/domain/uploads/unrecorded.ts';

/** Objects that are removed by one run. */
const MAX_REMOVED_PER_RUN = 1_000;

/**
 * Removes objects of Git LFS that no project has any more, a day after they came, and an hour after files that were not recorded were
 * stored: of each at most a thousand.
 */
export async function cleanUpLfs(stores: WithUploads): Promise<void> {
  await removeUnused(stores);
  const store = lfsStore(stores);
  let removed = 0;
  for await (const file of findUnrecordedObjects(stores)) {
    await store.remove(file);
    if (++removed >= MAX_REMOVED_PER_RUN) return;
  }
}

/** The rows go first: a file without a row is found by the next run. */
async function removeUnused(stores: WithUploads): Promise<void> {
  const gone = await stores.db.$transaction(async (tx) => {
    // Uploads of the same content lock the row, too.
    const rows = await tx.$queryRaw<{ id: number }[]>`
      SELECT o.id FROM lfs_objects o WHERE o.created_at < now() - interval '1 day'
        AND NOT EXISTS (SELECT 1 FROM lfs_object_projects p WHERE p.lfs_object_id = o.id)
      ORDER BY o.id LIMIT ${MAX_REMOVED_PER_RUN} FOR UPDATE SKIP LOCKED`;
    return tx.$queryRaw<{ oid: string; secret: string }[]>`
      DELETE FROM lfs_objects o WHERE o.id = ANY(${rows.map(({ id }) => id)}::int[])
        AND NOT EXISTS (SELECT 1 FROM lfs_object_projects p WHERE p.lfs_object_id = o.id) RETURNING oid, secret`;
  });
  const store = lfsStore(stores);
  for (const object of gone) await store.remove(placeOf(object));
}

/** Finds files older than an hour that are no object's, which no upload can still record. */
export function findUnrecordedObjects(stores: WithUploads): AsyncGenerator<StoredFile> {
  const select = { oid: true, secret: true };
  return findUnrecordedFiles(lfsStore(stores), async (files) =>
    (await stores.db.lfsObject.findMany({ where: secretsOf(files), select })).map(placeOf),
  );
}
