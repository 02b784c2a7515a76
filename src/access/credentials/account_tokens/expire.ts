import type { Db } from '#src/platform/database/db.ts';

/** Removes account tokens whose links are too old to work. */
export async function expireAccountTokens(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM account_tokens WHERE expires_at <= now()`;
}
