import crypto from 'node:crypto';
import type { AccountTokenKind } from '#src/generated/prisma/client.ts';
import type { Db } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

export interface NewAccountToken {
  userId: number;
  kind: AccountTokenKind;
  /** The address that the link is mailed to, and that it confirms. */
  email: string;
  /** Hours until the token expires. */
  hours: number;
}

/** Issues the 256-bit token of a mailed link. Only its hash is stored. */
export async function issueAccountToken(
  db: Db,
  { userId, kind, email, hours }: NewAccountToken,
): Promise<{ id: number; token: string }> {
  const token = crypto.randomBytes(32).toString('base64url');
  const [{ id }] = await db.$queryRaw<[{ id: number }]>`
    INSERT INTO account_tokens (user_id, kind, email, token_hash, expires_at)
    VALUES (${userId}, ${kind}::account_token_kind, ${email}, ${tokenHash(token)}, now() + make_interval(hours => ${hours}))
    RETURNING id`;
  return { id, token };
}

/** How many tokens of that kind were issued for the user within the last hour. */
export async function tokensIssued(db: Db, userId: number, kind: AccountTokenKind): Promise<number> {
  const [{ count }] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM account_tokens
    WHERE user_id = ${userId} AND kind = ${kind}::account_token_kind AND created_at > now() - interval '1 hour'`;
  return count;
}
