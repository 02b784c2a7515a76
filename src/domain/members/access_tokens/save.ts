import { randomBytes } from 'node:crypto';
import { audit } from '#src/access/audit/record.ts';
import { insertToken, type NewToken, requireExpiry, tokenErrors } from '#src/access/credentials/tokens/create.ts';
import type { MadeToken } from '#src/access/credentials/tokens/list.ts';
import { endToken } from '#src/access/credentials/tokens/revoke.ts';
import { replaceToken } from '#src/access/credentials/tokens/rotate.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { refuseApplications, requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { tokenScopesOf } from '#src/access/permissions/scopes.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { accessTokenOf, authorizeAccessTokens, CHANGEABLE } from '#src/domain/members/access_tokens/list.ts';
import { insertMember } from '#src/domain/members/add.ts';
import { levelErrors } from '#src/domain/members/level.ts';
import { auditPlace, type Source, sourceAt } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { createUser } from '#src/domain/users/create.ts';
import { DomainError, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Selection } from '#src/platform/records/selection.ts';

export interface NewAccessToken extends NewToken {
  /** 10 guest, 20 reporter, 30 developer, 40 master, 50 owner (of groups). */
  accessLevel: number;
}

/** Scopes that only make sense for tokens of people. */
const OF_PEOPLE: readonly string[] = ['read_user', 'sudo', 'admin_mode'];

/**
 * Creates an access token of a project or group, for those who administer it: a bot becomes a member for as long as the token lasts.
 * Bots cannot make others. Throws NotFound for the source, Forbidden, also for OAuth tokens and levels above the actor's own,
 * ValidationFailed.
 */
export async function createAccessToken<R>(
  context: Context & ChangeContext,
  place: OwnerRef,
  { accessLevel, ...input }: NewAccessToken,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const actor = requireManagerOrBot(context);
  const source = await sourceAt(context, place);
  if (!administers(actor, source) || actor.bot) {
    throw refused(`User does not have permission to create ${source.kind} access token`);
  }
  await requireExpiry(context.db, input.expiresAt);
  const allowed = tokenScopesOf({ admin: false }).filter((scope) => !OF_PEOPLE.includes(scope));
  const errors = { ...tokenErrors(input, allowed), ...levelErrors(source, accessLevel) };
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  if (!actor.admin && accessLevel > source.record.accessLevel) {
    throw refused("Access level of the token can't be greater than that of the user who creates it");
  }
  const username = `${source.kind}_${source.record.id}_bot_${randomBytes(16).toString('hex')}`;
  const { db, secret } = context;
  const bot = { username, name: input.name.trim(), email: `${username}@noreply.invalid`, bot: true };
  let made: { id: number; token: string } | undefined;
  await createUser(
    { db, secret, clientAddress: null },
    { ...bot, canCreateGroup: false, projectsLimit: 0 },
    async (tx, _, userId) => {
      const { expiresAt } = input;
      await insertMember(tx, context, source, { userId, accessLevel, expiresAt });
      made = await insertToken(tx, { userId, impersonation: false, ...idOf(source) }, input);
      await audit(tx, context, { action: 'access_token_created', ...tokenOf(source, { id: made.id, name: bot.name }) });
    },
  );
  if (!made) throw new Error('No token was made');
  return { ...(await accessTokenOf(context, source, made.id, selection)), token: made.token };
}

/**
 * Replaces an access token of a project or group by a new one, as rotateToken does. Bots replace only their own, by
 * rotateCurrentAccessToken. Throws NotFound, Forbidden, BadRequest, ValidationFailed.
 */
export async function rotateAccessToken<R>(
  context: Context,
  place: OwnerRef,
  { id, expiresAt }: { id: number; expiresAt?: string | null | undefined },
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const actor = requireManagerOrBot(context);
  const source = await sourceAt(context, place);
  authorizeAccessTokens(actor, source);
  const { accessLevel } = await accessTokenOf(context, source, id, CHANGEABLE);
  if (actor.bot) throw refused('A bot cannot rotate the token of another one');
  if (!actor.admin && (accessLevel ?? 0) > source.record.accessLevel) {
    throw refused("Access level of the token can't be greater than that of the user who rotates it");
  }
  return replaced(context, source, id, expiresAt, selection);
}

/** Revokes an access token of a project or group, for those who administer it. Its bot is no member any more. Throws NotFound, Forbidden. */
export async function revokeAccessToken<R>(
  context: Context,
  place: OwnerRef,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  const actor = requireCredentialManager(context);
  const source = await sourceAt(context, place);
  if (!administers(actor, source))
    throw refused(`${actor.username} cannot delete access tokens of this ${source.kind}`);
  await accessTokenOf(context, source, id, CHANGEABLE);
  await endToken(context, id);
  return accessTokenOf(context, source, id, selection);
}

async function replaced<R>(
  context: Context,
  source: Source,
  id: number,
  expiresAt: string | null | undefined,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const made = await replaceToken(context, id, expiresAt);
  if (!made) throw new NotFound('Access Token');
  return { ...(await accessTokenOf(context, source, made.id, selection)), token: made.token };
}

/** As requireCredentialManager, but for bots, which are told apart where it is known what they are a bot of. */
function requireManagerOrBot(context: Context): Actor {
  const actor = requireActor(context);
  if (!actor.bot) refuseApplications(actor);
  return actor;
}

function administers(actor: Actor, { kind, record }: Source): boolean {
  return can(actor, kind === 'project' ? 'admin_access_token' : 'admin_group_access_token', record);
}

function tokenOf(source: Source, token: { id: number; name: string }) {
  return { place: auditPlace(source), target: { type: 'AccessToken' as const, ...token } };
}

function idOf({ kind, record }: Source): { projectId: number } | { namespaceId: number } {
  return kind === 'project' ? { projectId: record.id } : { namespaceId: record.id };
}

function refused(message: string): DomainError {
  return new DomainError('notAllowed', message, {}, 'accessTokenRefused');
}
