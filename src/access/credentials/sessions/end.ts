import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { NotFound } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Signs the actor out of all browsers except the session named. Returns how many sessions ended. */
export async function endSessions(context: Context, except = 0): Promise<number> {
  const { id } = requireCredentialManager(context);
  const { count } = await context.db.session.deleteMany({ where: { userId: id, id: { not: except } } });
  return count;
}

/** Signs the actor out of one browser. Throws NotFound. */
export async function endOwnSession(context: Context, id: number): Promise<void> {
  const { id: userId } = requireCredentialManager(context);
  const { count } = await context.db.session.deleteMany({ where: { id, userId } });
  if (count === 0) throw new NotFound('Session');
}

/** A browser that the actor is signed in with. */
export interface OwnSession {
  id: number;
  /** IP address of the sign-in; null where it is not known. */
  address: string | null;
  /** What the browser says that it is. */
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  /** Whether the request was made with it. */
  isCurrent: boolean;
  /** Whether an administrator acts as the actor by it. */
  isImpersonation: boolean;
}

/** How many sessions are listed. */
const MAX_LISTED_SESSIONS = 100;

/** The browsers that the actor is signed in with, the latest first; at most a hundred. */
export async function listOwnSessions(context: Context): Promise<OwnSession[]> {
  const { id: userId, sessionId = 0 } = requireCredentialManager(context);
  const { sessionExpireDelay } = await currentSettings(context.db);
  return context.db.$queryRaw<OwnSession[]>`
    SELECT id, address, user_agent AS "userAgent", created_at AS "createdAt", last_seen_at AS "lastSeenAt",
      id = ${sessionId} AS "isCurrent", impersonator_id IS NOT NULL AS "isImpersonation" FROM sessions
    WHERE user_id = ${userId} AND last_seen_at > now() - make_interval(mins => ${sessionExpireDelay})
    ORDER BY last_seen_at DESC, id DESC LIMIT ${MAX_LISTED_SESSIONS}`;
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
