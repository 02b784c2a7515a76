import { NOTIFICATION_EVENTS, type NotificationEvent } from '#src/domain/changes/notification_events.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

/** A user who may want to be notified of an event. */
export interface Candidate {
  userId: number;
  /**
   * `mentioned`: by name; `participant`: author, assignee, subscriber, author of a note; `bystander`: watches, or has enabled
   * events of that kind.
   */
  role: 'mentioned' | 'participant' | 'bystander';
}

/** A user who wants mail, and their address. */
export interface Recipient {
  userId: number;
  email: string;
}

const { raw } = Prisma;

/**
 * The candidates who want mail about an event of that kind in the project, in one statement. The setting for the project counts,
 * else that for its group, else for the parent groups from the innermost on, else the global one; `global` defers to the next.
 * Excludes blocked users and unconfirmed addresses. The caller checks visibility.
 */
export function whoWantsMail(
  db: Pick<Db, '$queryRaw'>,
  projectId: number,
  event: NotificationEvent,
  candidates: readonly Candidate[],
): Promise<Recipient[]> {
  const chosen = raw(`s."${NOTIFICATION_EVENTS[event]}"`);
  const [ids, roles] = [candidates.map(({ userId }) => userId), candidates.map(({ role }) => role)];
  return db.$queryRaw<Recipient[]>`
    SELECT DISTINCT u.id AS "userId", COALESCE(e.email, u.email) AS email
    FROM unnest(${ids}::int[], ${roles}::text[]) AS c(user_id, role)
    JOIN users u ON u.id = c.user_id AND u.state = 'active' AND NOT u.ghost AND NOT u.bot
    LEFT JOIN emails e ON e.id = u.notification_email_id AND e.confirmed_at IS NOT NULL
    JOIN projects p ON p.id = ${projectId} JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN LATERAL (
      SELECT s.level, ${chosen} AS chosen FROM notification_settings s
      WHERE s.user_id = u.id AND s.level <> 'global'
        AND (s.project_id = p.id OR s.namespace_id = ANY(n.lineage) OR (s.project_id IS NULL AND s.namespace_id IS NULL))
      ORDER BY s.project_id IS NULL, array_position(n.lineage, s.namespace_id) DESC NULLS LAST LIMIT 1) s ON TRUE
    WHERE (e.id IS NOT NULL OR u.confirmed_at IS NOT NULL) AND CASE COALESCE(s.level, 'participating')
      WHEN 'disabled' THEN FALSE
      WHEN 'watch' THEN TRUE
      WHEN 'mention' THEN c.role = 'mentioned'
      WHEN 'custom' THEN s.chosen OR c.role <> 'bystander'
      ELSE c.role <> 'bystander' END
    ORDER BY u.id`;
}
