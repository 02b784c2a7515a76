import { type Audited, audit, BY_SERVER } from '#src/access/audit/record.ts';
import { endBots } from '#src/access/credentials/tokens/end_bots.ts';
import { endOf, type MemberIds } from '#src/domain/members/audit.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes expired memberships, shares and invitations. */
    'members.expire': Record<string, never>;
  }
}

/** Days after which an invitation that nobody accepted is void. */
export const INVITATION_DAYS = 90;

/** Removes expired memberships, also of bots whose tokens have expired, shares and invitations, and records events in the feeds of projects. */
export async function removeExpiredMembers(db: Db): Promise<void> {
  await db.$transaction(async (tx) => {
    const gone = await tx.$queryRaw<MemberIds[]>`
      WITH gone AS (DELETE FROM members WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date RETURNING user_id, project_id, namespace_id),
        told AS (INSERT INTO events (project_id, author_id, action)
          SELECT project_id, user_id, 'removed due to membership expiration from' FROM gone WHERE project_id IS NOT NULL)
      SELECT user_id AS "userId", project_id AS "projectId", namespace_id AS "groupId" FROM gone`;
    await audit(tx, BY_SERVER, ...gone.map((one) => endOf(one, 'member_expired')));
    const shares = await tx.$queryRaw<{ projectId: number | null; groupId: number; invitedId: number }[]>`
      WITH of_projects AS (DELETE FROM project_shares WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date RETURNING project_id, group_id),
        of_groups AS (DELETE FROM group_shares WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date RETURNING namespace_id, group_id)
      SELECT project_id AS "projectId", 0 AS "groupId", group_id AS "invitedId" FROM of_projects
      UNION ALL SELECT NULL, namespace_id, group_id FROM of_groups`;
    const ended = shares.map(({ projectId, groupId, invitedId }): Audited => {
      const place = projectId === null ? { groupId } : { projectId };
      return { action: 'share_expired', place, target: { type: 'Group', id: invitedId } };
    });
    await audit(tx, BY_SERVER, ...ended);
    await endBots(tx, BY_SERVER);
  });
  await db.$executeRaw`DELETE FROM invitations
    WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date OR created_at <= now() - make_interval(days => ${INVITATION_DAYS})`;
}
