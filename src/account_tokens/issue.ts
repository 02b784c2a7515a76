import crypto from 'node:crypto';
import type { Db } from '#src/db.ts';
import type { AccountTokenKind } from '#src/generated/prisma/client.ts';
import { tokenHash } from '#src/secrets.ts';

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
  const expiresAt = new Date(Date.now() + hours * 3_600_000);
  const data = { userId, kind, email, tokenHash: tokenHash(token), expiresAt };
  const { id } = await db.accountToken.create({ data, select: { id: true } });
  return { id, token };
}

/** How many tokens of that kind were made for the user within the hour. */
export async function tokensIssued(db: Db, userId: number, kind: AccountTokenKind): Promise<number> {
  return db.accountToken.count({ where: { userId, kind, createdAt: { gt: new Date(Date.now() - 3_600_000) } } });
}
