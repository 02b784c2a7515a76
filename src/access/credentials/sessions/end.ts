import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Signs the actor out of all browsers except the session named. Returns how many sessions ended. */
export async function endSessions(context: Context, except = 0): Promise<number> {
  const { id } = requireCredentialManager(context);
  const { count } = await context.db.session.deleteMany({ where: { userId: id, id: { not: except } } });
  return count;
}

/** In how many browsers the actor is signed in; null for other users. */
export async function countSessions(context: Context, userId: number): Promise<number | null> {
  if (requireAccount(context).id !== userId) return null;
  const { sessionExpireDelay } = await currentSettings(context.db);
  const [{ count }] = await context.db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM sessions
    WHERE user_id = ${userId} AND last_seen_at > now() - make_interval(mins => ${sessionExpireDelay})`;
  return count;
}
