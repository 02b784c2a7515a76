import { findToken, findTokenOf } from '#src/access/credentials/tokens/list.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import { type Context, requireTokenHolder } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const ANY = select('PersonalAccessToken', { id: true });

/**
 * Revokes a token of the actor, or of anyone for administrators. It stops working immediately. Throws Forbidden, NotFound.
 *
 * @param userId whose token it must be; absent for any that the actor may revoke
 */
export async function revokePersonalAccessToken<R>(
  context: Context,
  { userId, id }: { userId?: number | null | undefined; id: number },
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  if (userId != null) return revoke(context, await chooseAccount(context, userId), id, false, selection);
  requireCredentialManager(context);
  await findToken(context, id, ANY);
  await context.db.personalAccessToken.updateMany({ where: { id }, data: { revoked: true } });
  return findToken(context, id, selection);
}

/** Revokes the token that the request was made with, whatever its scopes. Throws Unauthenticated, BadRequest for other credentials. */
export async function revokeCurrentToken(context: Context): Promise<number> {
  const { tokenId } = requireTokenHolder(context);
  await context.db.personalAccessToken.updateMany({ where: { id: tokenId }, data: { revoked: true } });
  return tokenId;
}

/** Revokes an impersonation token, for administrators. Throws Forbidden, NotFound. */
export async function revokeImpersonationToken<R>(
  context: Context,
  userId: number,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  return revoke(context, await chooseAccount(context, userId), id, true, selection);
}

/** Implements `gantry token revoke`, for tokens of either kind. Throws NotFound. */
export async function revokeTokenFromCommandLine(db: Db, userId: number, id: number): Promise<void> {
  const { count } = await db.personalAccessToken.updateMany({ where: { id, userId }, data: { revoked: true } });
  if (count === 0) throw new NotFound('Personal Access Token', `The user has no token ${id}.`);
}

async function revoke<R>(
  context: Context,
  userId: number,
  id: number,
  impersonation: boolean,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  await findTokenOf(context, userId, id, impersonation, ANY);
  await context.db.personalAccessToken.updateMany({ where: { id, userId, impersonation }, data: { revoked: true } });
  return findTokenOf(context, userId, id, impersonation, selection);
}
