import { placeOf, sitesStore } from '#src/domain/sites/store.ts';
import type { WithUploads } from '#src/domain/uploads/store.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Takes expired sites out of use, and removes those that were so for a day. */
    'sites.expire': Record<string, never>;
  }
}

/** How many deployments are removed per transaction. */
const BATCH_SIZE = 100;

/** Hours for which a deployment can be restored. */
export const RESTORABLE_HOURS = 24;

/** Takes expired deployments out of use, and removes those that were deleted or replaced a day ago, with their files. */
export async function expireSites(stores: WithUploads): Promise<void> {
  const { db } = stores;
  await db.$executeRaw`
    UPDATE pages_deployments SET deleted_at = now(), updated_at = now() WHERE expires_at <= now() AND deleted_at IS NULL`;
  const store = sitesStore(stores);
  for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
    const gone = await db.$queryRaw<{ projectId: number; secret: string }[]>`
      DELETE FROM pages_deployments WHERE id IN (SELECT id FROM pages_deployments
        WHERE deleted_at <= now() - make_interval(hours => ${RESTORABLE_HOURS}) ORDER BY deleted_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
      RETURNING project_id AS "projectId", secret`;
    // What a crash leaves is found as unrecorded.
    for (const row of gone) await store.remove(placeOf(row));
    found = gone.length;
  }
}
