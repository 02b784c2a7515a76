import { isActiveToken, isNoEndedServiceAccount } from '#src/access/credentials/tokens/active.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { removeUser } from '#src/domain/lifecycle/delete_user.ts';
import { ghostId } from '#src/domain/users/ghost.ts';
import { Prisma, queryRows } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { select } from '#src/platform/records/selection.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes bots whose tokens have not worked for a while, and bots and service accounts of projects and groups that are gone. */
    'users.remove_bots': Record<string, never>;
  }
}

const { sql } = Prisma;
const [user, token] = [alias('User', 'u'), alias('PersonalAccessToken', 't')];

/** Bots that one run removes: it comes again every day. */
const BATCH_SIZE = 500;

/**
 * Removes bots that have had no active token for 30 days, or whose project or group was removed, and service accounts of groups and
 * projects that are gone. What they have written goes to the ghost user (people-and-projects.md, Rules 5).
 */
export async function removeBots(context: Pick<Context, 'db' | 'secret' | 'jobs' | 'followers'>): Promise<void> {
  const { db } = context;
  const needed = sql`${token.userId} = ${user.id} AND (${isActiveToken(token)}
    OR GREATEST(${token.createdAt}, ${token.lastUsedAt}, ${token.expiresAt}::timestamptz) > now() - interval '30 days')`;
  const bots = await queryRows<{ id: number }>(
    db,
    sql`SELECT ${user.id} FROM ${table(user)} WHERE ${user.bot}
      AND CASE WHEN ${user.serviceAccount} IS NULL THEN NOT EXISTS (SELECT 1 FROM ${table(token)} WHERE ${needed})
        ELSE NOT ${isNoEndedServiceAccount(user)} END ORDER BY ${user.id} LIMIT ${BATCH_SIZE}`,
  );
  if (bots.length === 0) return;
  const ghost = await ghostId(db, context.secret);
  for (const { id } of bots) await removeUser({ ...context, actor: null }, { id, ghost }, select('User', { id: true }));
}
