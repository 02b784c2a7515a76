import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes memberships and shares whose last day is over. */
    'members.expire': Record<string, never>;
  }
}

/** Removes memberships and shares that give nothing any more, and tells so in the feed of the project. */
export async function removeExpiredMembers(db: Db): Promise<void> {
  await db.$executeRaw`
    WITH gone AS (DELETE FROM members WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date RETURNING user_id, project_id)
    INSERT INTO events (project_id, author_id, action)
    SELECT project_id, user_id, 'removed due to membership expiration from' FROM gone WHERE project_id IS NOT NULL`;
  await db.$executeRaw`DELETE FROM project_shares WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date`;
}
