import { DAYS } from '#src/domain/members/invitations/list.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes expired memberships, shares and invitations. */
    'members.expire': Record<string, never>;
  }
}

/** Removes expired memberships, shares and invitations, and records events in the feeds of projects. */
export async function removeExpiredMembers(db: Db): Promise<void> {
  await db.$executeRaw`
    WITH gone AS (DELETE FROM members WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date RETURNING user_id, project_id)
    INSERT INTO events (project_id, author_id, action)
    SELECT project_id, user_id, 'removed due to membership expiration from' FROM gone WHERE project_id IS NOT NULL`;
  await db.$executeRaw`DELETE FROM project_shares WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date`;
  await db.$executeRaw`DELETE FROM group_shares WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date`;
  await db.$executeRaw`DELETE FROM invitations
    WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date OR created_at <= now() - make_interval(days => ${DAYS})`;
}
