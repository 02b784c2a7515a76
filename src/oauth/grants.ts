import type { Db } from '#src/db.ts';

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
