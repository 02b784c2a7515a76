import type { AccountTokenKind } from '#src/generated/prisma/client.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** The purpose and user of a token. */
export interface AccountTokenHolder {
  userId: number;
  username: string;
  /** The address that the link was mailed to. */
  email: string;
}

/** Finds the purpose and user of a token without using it up; null for unknown, used or expired tokens. */
export async function findAccountToken(
  db: Db,
  token: string,
  kind: AccountTokenKind,
): Promise<AccountTokenHolder | null> {
  const [found] = await db.$queryRaw<AccountTokenHolder[]>`
    SELECT t.user_id AS "userId", t.email, u.username FROM account_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = ${tokenHash(token)} AND t.kind = ${kind}::account_token_kind AND t.expires_at > now()
      AND (u.state = 'active' OR (u.state = 'blocked_pending_approval' AND t.kind = 'confirmation'))`;
  return found ?? null;
}

/** Uses a token up: of several concurrent requests with it, one succeeds. Throws ValidationFailed. */
export async function takeAccountToken(
  tx: Transaction,
  token: string,
  kind: AccountTokenKind,
): Promise<{ userId: number; email: string }> {
  const [taken] = await tx.$queryRaw<{ userId: number; email: string; good: boolean }[]>`
    DELETE FROM account_tokens WHERE token_hash = ${tokenHash(token)} AND kind = ${kind}::account_token_kind
    RETURNING user_id AS "userId", email, expires_at > now() AS good`;
  if (!taken?.good) throw worthless();
  return taken;
}

export function worthless(): ValidationFailed {
  return new ValidationFailed({ token: ['is wrong, too old, or was used before'] });
}
