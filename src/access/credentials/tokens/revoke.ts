import { type Audited, type Auditing, audit, BY_SERVER } from '#src/access/audit/record.ts';
import { endBots } from '#src/access/credentials/tokens/end_bots.ts';
import { findToken, findTokenOf } from '#src/access/credentials/tokens/list.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import { type Context, requireTokenHolder } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import type { PersonalAccessToken } from '#src/generated/prisma/client.ts';
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
  await endToken(context, id);
  return findToken(context, id, selection);
}

/** Revokes the token that the request was made with, whatever its scopes. Throws Unauthenticated, BadRequest for other credentials. */
export async function revokeCurrentToken(context: Context): Promise<number> {
  const { tokenId } = requireTokenHolder(context);
  await endToken(context, tokenId);
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

/**
 * Ends a token, unless it is revoked already, and what a bot has by it; the caller has checked the permission. `place` is where the
 * audit log has it, if not where the token belongs.
 */
export async function endToken(
  context: Pick<Context, 'db'> & Auditing,
  id: number,
  place?: Audited['place'],
): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const [ended] = await tx.personalAccessToken.updateManyAndReturn({
      where: { id, revoked: false },
      data: { revoked: true },
      select: { id: true, userId: true, projectId: true, namespaceId: true, name: true, impersonation: true },
    });
    if (!ended) return;
    const action = ended.impersonation ? 'impersonation_token_revoked' : 'access_token_revoked';
    await audit(tx, context, { action, ...auditedToken(ended), ...(place && { place }) });
    await endBots(tx, context, ended.userId);
  });
}

/** Where the audit log has what was done to a token, and the token. */
export function auditedToken({
  id,
  name,
  userId,
  projectId,
  namespaceId,
}: Pick<PersonalAccessToken, 'id' | 'name' | 'userId' | 'projectId' | 'namespaceId'>): Pick<
  Audited,
  'place' | 'target'
> {
  const group = namespaceId === null ? { userId } : { groupId: namespaceId };
  return { place: projectId === null ? group : { projectId }, target: { type: 'AccessToken', id, name } };
}

/** Implements `gantry token revoke`, for tokens of either kind. Throws NotFound. */
export async function revokeTokenFromCommandLine(db: Db, userId: number, id: number): Promise<void> {
  const count = await db.personalAccessToken.count({ where: { id, userId } });
  if (count > 0) await endToken({ db, ...BY_SERVER }, id);
  else throw new NotFound('Personal Access Token', `The user has no token ${id}.`);
}

async function revoke<R>(
  context: Context,
  userId: number,
  id: number,
  impersonation: boolean,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  await findTokenOf(context, userId, id, impersonation, ANY);
  await endToken(context, id);
  return findTokenOf(context, userId, id, impersonation, selection);
}
