import { type Db, Prisma } from '#src/platform/database/db.ts';

/** In a look-up of a token: its ID if its use was not recorded within the last ten minutes, so that other requests pay nothing. */
export const TOKEN_TO_NOTE = Prisma.sql`CASE WHEN last_used_at > now() - interval '10 minutes' THEN NULL ELSE id END`;

/** Records the use of a token, unless another request has just done so. */
export async function noteTokenUse(db: Db, id: number): Promise<void> {
  await db.$executeRaw`
    UPDATE personal_access_tokens SET last_used_at = now() WHERE id = ${id} AND ${TOKEN_TO_NOTE} IS NOT NULL`;
}
