import type { Db } from '#src/platform/database/db.ts';

/** Removes the tokens of links that are too old to lead anywhere. */
export async function expireAccountTokens(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM account_tokens WHERE expires_at <= now()`;
}
