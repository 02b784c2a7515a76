import { removeRetiredKeys } from '#src/access/oauth/keys.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * Removes expired OAuth data. Ended tokens stay for a week, so that clients learn what happened; used refresh tokens for a month,
 * so that a stolen one is recognized. An application that registered itself goes a day later if nobody has authorized it, or when
 * its last tokens are gone.
 */
export async function expireAuthorizations(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM oauth_interactions WHERE expires_at <= now()`;
  await db.$executeRaw`DELETE FROM oauth_device_codes WHERE expires_at <= now() - interval '1 hour'`;
  await db.$executeRaw`
    DELETE FROM oauth_tokens WHERE expires_at <= now() - interval '7 days' OR revoked_at <= now() - interval '7 days'
      OR consumed_at <= now() - CASE kind WHEN 'refresh' THEN interval '30 days' ELSE interval '7 days' END`;
  await db.$executeRaw`
    DELETE FROM oauth_grants g WHERE created_at <= now() - interval '1 hour'
      AND NOT EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.grant_id = g.id)`;
  // After the grants, as those without tokens are gone then: of what registered itself, this leaves what is in use.
  await db.$executeRaw`
    DELETE FROM oauth_applications a WHERE owner_id IS NULL AND created_at <= now() - interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.application_id = a.id)`;
  await removeRetiredKeys(db);
}
