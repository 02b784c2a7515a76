import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes what the audit log has held for long enough. */
    'audit_events.expire': Record<string, never>;
  }
}

/** Days for which the audit log holds what it records (docs/operating.md, Audit log). */
export const AUDIT_DAYS = 730;

/** Rows that one run removes: it comes again every hour. */
const BATCH_SIZE = 10_000;

/** Removes audit events that are older than AUDIT_DAYS, the oldest first. */
export async function expireAuditEvents(db: Db): Promise<void> {
  await db.$executeRaw`
    DELETE FROM audit_events WHERE id IN (SELECT e.id FROM audit_events e
      WHERE e.created_at < now() - make_interval(days => ${AUDIT_DAYS}) ORDER BY e.created_at, e.id LIMIT ${BATCH_SIZE})`;
}
