import crypto from 'node:crypto';
import type { AccountTokenKind } from '#src/generated/prisma/client.ts';
import type { Db } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

export interface NewAccountToken {
  userId: number;
  kind: AccountTokenKind;
  /** The address to which it goes, and which it confirms. */
  email: string;
  /** For how long it is good. */
  hours: number;
}

/** Makes the token of a link that somebody is to get, of 256 bits. Only its hash is kept. */
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

/** How many tokens of that kind were made for the user within the hour. */
export async function tokensIssued(db: Db, userId: number, kind: AccountTokenKind): Promise<number> {
  const [{ count }] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM account_tokens
    WHERE user_id = ${userId} AND kind = ${kind}::account_token_kind AND created_at > now() - interval '1 hour'`;
  return count;
}
