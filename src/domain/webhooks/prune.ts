import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Deletes old deliveries. */
    'hooks.prune': Record<string, never>;
  }
}

/** How many finished deliveries of a hook are kept, and for how many days. */
export const KEPT = 100;
export const KEPT_DAYS = 30;

/** Deletes all but the latest deliveries of each hook, and events without deliveries. */
export async function pruneDeliveries(db: Db): Promise<void> {
  await db.$executeRaw`
    DELETE FROM hook_deliveries WHERE id IN (
      SELECT id FROM (SELECT id, created_at, row_number() OVER (PARTITION BY hook_id ORDER BY id DESC) AS place
        FROM hook_deliveries WHERE state <> 'waiting') d
      WHERE place > ${KEPT} OR created_at < now() - make_interval(days => ${KEPT_DAYS}))`;
  // The deliveries of recent events may be in a transaction that has not ended.
  await db.$executeRaw`
    DELETE FROM hook_events e WHERE created_at < now() - interval '1 hour'
      AND NOT EXISTS (SELECT 1 FROM hook_deliveries d WHERE d.event_id = e.id)`;
}
