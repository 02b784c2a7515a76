import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Minutes for which an event whose recipients are not found yet, or mail that fails, holds up later mail of its thread. */
const HOLDS_UP = 10;

/** Minutes for which mail is sent along with others of its thread: about as long as its own job is retried. */
const SENT_ALONG = 60;

/** The mail about an issue or merge request to one user. */
export interface Thread {
  userId: number;
  type: 'Issue' | 'MergeRequest';
  id: number;
}

/** Records that all recipients of mail about an event have their deliveries, so that later mail no longer waits for them. */
export async function recipientsFound(db: Db, { key }: Keyed): Promise<void> {
  await db.mailEvent.updateMany({ where: { key }, data: { recipientsFound: true } });
}

/** Whether mail about an event has a place in the order. Servers of the version before recorded none. */
export async function isOrdered(db: Db, { key }: Keyed): Promise<boolean> {
  return (await db.mailEvent.findUnique({ where: { key }, select: { id: true } })) !== null;
}

/**
 * The first event of a thread about which mail is due: one that no earlier event holds up. Null if there is none.
 *
 * @param own the key of an event that is due however old it is
 * @param failed keys of events that are passed over
 * @returns the event, and whether it no longer holds up later ones
 */
export async function firstDue(
  db: Db,
  { userId, type, id }: Thread,
  own: string,
  failed: readonly string[],
): Promise<{ happening: Keyed; isLate: boolean } | null> {
  const [first] = await db.$queryRaw<{ happening: Keyed; isLate: boolean }[]>`
    SELECT e.happening, e.created_at < now() - make_interval(mins => ${HOLDS_UP}) AS "isLate"
    FROM mail_events e JOIN mail_deliveries d ON d.key = e.key AND d.user_id = ${userId} AND d.sent_at IS NULL
    WHERE e.subject_type = ${type} AND e.subject_id = ${id} AND e.key <> ALL(${[...failed]}::text[])
      AND (e.key = ${own} OR e.created_at > now() - make_interval(mins => ${SENT_ALONG}))
      AND NOT EXISTS (SELECT 1 FROM mail_events b WHERE b.subject_type = ${type} AND b.subject_id = ${id} AND b.id < e.id
        AND NOT b.recipients_found AND b.created_at > now() - make_interval(mins => ${HOLDS_UP}))
    ORDER BY e.id LIMIT 1`;
  return first ?? null;
}
