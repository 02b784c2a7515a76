import { findToken, type TokenRow } from '#src/access/credentials/tokens/list.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Revokes a token of the actor, or of anyone for administrators. It stops working immediately. Throws Forbidden, NotFound. */
export async function revokePersonalAccessToken(
  context: Context,
  { userId, id }: { userId?: number | null | undefined; id: number },
): Promise<TokenRow> {
  return revoke(context, await chooseAccount(context, userId), id, false);
}

/** Revokes an impersonation token, for administrators. Throws Forbidden, NotFound. */
export async function revokeImpersonationToken(context: Context, userId: number, id: number): Promise<TokenRow> {
  return revoke(context, await chooseAccount(context, userId), id, true);
}

/** Implements `gantry token revoke`, for tokens of either kind. Throws NotFound. */
export async function revokeTokenFromCommandLine(db: Db, userId: number, id: number): Promise<void> {
  const { count } = await db.personalAccessToken.updateMany({ where: { id, userId }, data: { revoked: true } });
  if (count === 0) throw new NotFound('Personal Access Token', `The user has no token ${id}.`);
}

async function revoke(context: Context, userId: number, id: number, impersonation: boolean): Promise<TokenRow> {
  await findToken(context, userId, id, impersonation);
  await context.db.personalAccessToken.updateMany({ where: { id, userId, impersonation }, data: { revoked: true } });
  return findToken(context, userId, id, impersonation);
}
