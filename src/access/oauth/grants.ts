import { NO_APPLICATION } from '#src/access/oauth/clients.ts';
import type { Db } from '#src/platform/database/db.ts';

/** A new authorization of an application by a user. */
export interface NewGrant {
  id: string;
  userId: number;
  clientId: string;
  scopes: readonly string[];
  /** Hash of the password by which the user authorized it; absent where a session was enough. */
  passwordHash?: string;
}

/**
 * Stores a grant if its user is active and the password shown, if any, is still the user's and sufficient by itself: a grant must
 * not survive a concurrent change of password or a newly added second factor. Returns false when nothing was stored.
 */
export async function insertGrant(db: Db, grant: NewGrant): Promise<boolean> {
  const { id, userId, clientId, scopes, passwordHash } = grant;
  const inserted = await db.$executeRaw`
    INSERT INTO oauth_grants (id, user_id, application_id, scopes)
    SELECT ${id}, u.id, a.id, ${[...scopes]}::text[] FROM users u LEFT JOIN oauth_applications a ON a.uid = ${clientId}
    WHERE u.id = ${userId} AND u.state = 'active' AND (a.id IS NOT NULL OR ${clientId} = ${NO_APPLICATION})
      AND (${passwordHash === undefined}::boolean OR (u.password_hash = ${passwordHash ?? ''} AND NOT u.two_factor_enabled))
    FOR SHARE OF u`;
  return inserted > 0;
}

/** Revokes a grant with all codes and tokens that it led to. */
export async function revokeGrant(db: Db, id: string): Promise<void> {
  await db.$executeRaw`UPDATE oauth_grants SET revoked_at = now() WHERE id = ${id} AND revoked_at IS NULL`;
}

/** The scopes that the user has already allowed the application; empty if none. */
export async function rememberedScopes(db: Db, userId: number, uid: string): Promise<string[]> {
  const [row] = await db.$queryRaw<{ scopes: string[] }[]>`
    SELECT z.scopes FROM oauth_authorizations z JOIN oauth_applications a ON a.id = z.application_id
    WHERE z.user_id = ${userId} AND a.uid = ${uid}`;
  return row?.scopes ?? [];
}

/** Remembers that the user allows the application these scopes, in addition to those allowed before. */
export async function rememberScopes(db: Db, userId: number, uid: string, scopes: readonly string[]): Promise<void> {
  await db.$executeRaw`
    INSERT INTO oauth_authorizations AS z (user_id, application_id, scopes)
    SELECT ${userId}, id, ${[...scopes]}::text[] FROM oauth_applications WHERE uid = ${uid}
    ON CONFLICT (user_id, application_id) DO UPDATE
    SET scopes = ARRAY(SELECT DISTINCT s FROM unnest(z.scopes || EXCLUDED.scopes) s ORDER BY s)`;
}
