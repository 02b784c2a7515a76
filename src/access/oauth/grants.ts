import { NO_APPLICATION } from '#src/access/oauth/clients.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What a user lets an application do, once. */
export interface NewGrant {
  id: string;
  userId: number;
  clientId: string;
  scopes: readonly string[];
  /** The password by which the user did that; none where a session was enough. */
  passwordHash?: string;
}

/**
 * Keeps a grant, while its user is active and, where a password was shown, while that is the user's and enough by itself: who
 * changes the password, or adds a second factor, meanwhile gets no grant that the change would not end. False when nothing
 * was kept.
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

/** Ends a grant, and with it every code and token that followed from it. */
export async function revokeGrant(db: Db, id: string): Promise<void> {
  await db.$executeRaw`UPDATE oauth_grants SET revoked_at = now() WHERE id = ${id} AND revoked_at IS NULL`;
}

/** What the user said before that an application may do; empty when nothing. */
export async function rememberedScopes(db: Db, userId: number, uid: string): Promise<string[]> {
  const [row] = await db.$queryRaw<{ scopes: string[] }[]>`
    SELECT z.scopes FROM oauth_authorizations z JOIN oauth_applications a ON a.id = z.application_id
    WHERE z.user_id = ${userId} AND a.uid = ${uid}`;
  return row?.scopes ?? [];
}

/** Keeps in mind that the user lets an application do this, beside what the user let it do before. */
export async function rememberScopes(db: Db, userId: number, uid: string, scopes: readonly string[]): Promise<void> {
  await db.$executeRaw`
    INSERT INTO oauth_authorizations AS z (user_id, application_id, scopes)
    SELECT ${userId}, id, ${[...scopes]}::text[] FROM oauth_applications WHERE uid = ${uid}
    ON CONFLICT (user_id, application_id) DO UPDATE
    SET scopes = ARRAY(SELECT DISTINCT s FROM unnest(z.scopes || EXCLUDED.scopes) s ORDER BY s)`;
}
