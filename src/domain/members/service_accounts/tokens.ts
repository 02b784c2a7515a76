import { audit } from '#src/access/audit/record.ts';
import { insertToken, type NewToken, requireExpiry, tokenErrors } from '#src/access/credentials/tokens/create.ts';
import {
  type MadeToken,
  matchingTokens,
  type TokenFilter,
  type TokenOrder,
  tokenOrder,
} from '#src/access/credentials/tokens/list.ts';
import { endToken } from '#src/access/credentials/tokens/revoke.ts';
import { replaceToken } from '#src/access/credentials/tokens/rotate.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { tokenScopesOf } from '#src/access/permissions/scopes.ts';
import { provisionerAt, serviceAccountOf } from '#src/domain/members/service_accounts/list.ts';
import { auditedAccount } from '#src/domain/members/service_accounts/save.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { all, type Db, Prisma } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { readPage, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const token = alias('PersonalAccessToken', 't');

/** What is read of an account whose tokens are managed. */
const ACCOUNT = select('User', { id: true, admin: true });
const ANY = select('PersonalAccessToken', { id: true });

/** Names a service account by what it was made for: the server where that is neither a project nor a group. */
export interface ServiceAccountRef extends OwnerRef {
  userId: number;
}

/** The tokens of a service account, for those who manage the account. Throws Forbidden, NotFound. */
export async function listServiceAccountTokens<R>(
  context: Context,
  { userId, ...place }: ServiceAccountRef,
  { filter, order }: { filter: TokenFilter; order: TokenOrder },
  page: PageRequest,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<Page<R>> {
  await serviceAccountOf(context.db, await provisionerAt(context, place), userId, ACCOUNT);
  const where = all([ownedBy(userId), ...matchingTokens(filter)]);
  return readPage(context.db, selection, { rows: token, where, order: tokenOrder(order) }, page);
}

/** Creates a token of a service account. Throws NotFound, Forbidden, ValidationFailed. */
export async function createServiceAccountToken<R>(
  context: Context,
  ref: ServiceAccountRef,
  input: NewToken,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const { at, account } = await managed(context, ref);
  await requireExpiry(context.db, input.expiresAt);
  const errors = tokenErrors(input, tokenScopesOf(account));
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const made = await context.db.$transaction(async (tx) => {
    const created = await insertToken(tx, { userId: account.id, impersonation: false }, input);
    const target = { type: 'AccessToken', id: created.id, name: input.name.trim() } as const;
    await audit(tx, context, { action: 'access_token_created', place: at, target });
    return created;
  });
  return { ...(await tokenOf(context.db, account.id, made.id, selection)), token: made.token };
}

/** Replaces a token of a service account, as rotateToken does. Throws as rotateToken. */
export async function rotateServiceAccountToken<R>(
  context: Context,
  ref: ServiceAccountRef,
  { id, expiresAt }: { id: number; expiresAt?: string | null | undefined },
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const { at, account } = await managed(context, ref);
  await tokenOf(context.db, account.id, id, ANY);
  const made = await replaceToken(context, id, expiresAt, at);
  if (!made) throw noToken();
  return { ...(await tokenOf(context.db, account.id, made.id, selection)), token: made.token };
}

/** Revokes a token of a service account, which stops working immediately. Throws NotFound, Forbidden. */
export async function revokeServiceAccountToken<R>(
  context: Context,
  ref: ServiceAccountRef,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  const { at, account } = await managed(context, ref);
  await tokenOf(context.db, account.id, id, ANY);
  await endToken(context, id, at);
  return tokenOf(context.db, account.id, id, selection);
}

/**
 * A service account whose tokens the actor may make and end. Throws NotFound, Forbidden: only administrators act as one that
 * administers the server.
 */
async function managed(context: Context, { userId, ...place }: ServiceAccountRef) {
  const actor: Actor = requireCredentialManager(context);
  const source = await provisionerAt(context, place);
  const account = await serviceAccountOf(context.db, source, userId, ACCOUNT);
  if (account.admin && !actor.admin) throw new Forbidden();
  return { account, at: auditedAccount(source, userId).place };
}

async function tokenOf<R>(
  db: Db,
  userId: number,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: token, where: sql`${token.id} = ${id} AND ${ownedBy(userId)}` });
  if (!found) throw noToken();
  return found;
}

/** Those with which administrators act as it are not among them. */
function ownedBy(userId: number): Prisma.Sql {
  return sql`${token.userId} = ${userId} AND NOT ${token.impersonation}`;
}

function noToken(): NotFound {
  return new NotFound('Personal Access Token');
}
