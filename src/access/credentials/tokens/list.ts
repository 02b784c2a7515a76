import { isActiveToken } from '#src/access/credentials/tokens/active.ts';
import { authorizeAccount } from '#src/access/permissions/account.ts';
import {
  type Actor,
  type Context,
  requireActor,
  requireAdmin,
  requireTokenHolder,
} from '#src/access/permissions/actor.ts';
import { all, containing, type Db, Prisma } from '#src/platform/database/db.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { readPage, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const token = alias('PersonalAccessToken', 't');

/** All fields of a token. */
export const TOKEN = select('PersonalAccessToken', {
  id: true,
  userId: true,
  name: true,
  description: true,
  scopes: true,
  revoked: true,
  active: true,
  expiresAt: true,
  createdAt: true,
  lastUsedAt: true,
  impersonation: true,
});

/** A personal access token or impersonation token. `expiresAt` is the first day on which it is inactive. */
export type TokenRow = typeof TOKEN.row;

/** A token that was just made. */
export type MadeToken<R> = R & {
  /** The token itself, which is only known now. */
  token: string;
};

export type TokenState = 'all' | 'active' | 'inactive';

/** Which tokens are listed; all must hold. */
export interface TokenFilter {
  state: TokenState;
  revoked?: boolean | null | undefined;
  /** Part of the name, in any case. */
  search?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  lastUsedAfter?: Date | null | undefined;
  lastUsedBefore?: Date | null | undefined;
  /** Days: YYYY-MM-DD. */
  expiresAfter?: string | null | undefined;
  expiresBefore?: string | null | undefined;
}

/** By what tokens are listed. Those without an expiry, or never used, count as the latest. */
export type TokenOrder = `${keyof typeof COLUMNS}_${Direction}`;

const COLUMNS = { created: 'id', expires: 'expiresAt', last_used: 'lastUsedAt', name: 'name' } as const;

/**
 * The tokens of a user, or of everybody: users get their own personal ones, administrators all kinds of anyone. Throws
 * Unauthenticated, InsufficientScope, Forbidden for another user.
 *
 * @param userId null for the actor; for administrators, everybody
 */
export async function listTokens<R>(
  context: Context,
  userId: number | null,
  filter: TokenFilter,
  order: TokenOrder,
  page: PageRequest,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  if (userId !== null) authorizeAccount(actor, userId);
  const of = userId ?? (actor.admin ? null : actor.id);
  const where = all([
    ...(of === null ? [] : [sql`${token.userId} = ${of}`]),
    ...(actor.admin ? [] : [sql`NOT ${token.impersonation}`]),
    ...matchingTokens(filter),
  ]);
  return list(context.db, where, order, page, selection);
}

/** Which tokens of a user are listed, and in which order. */
export interface ChosenTokens {
  state: TokenState;
  /** Further conditions. */
  filter?: TokenFilter | null | undefined;
  orderBy: TokenOrder;
}

/** A user's own tokens, for the user and administrators. Throws Forbidden. */
export async function listPersonalAccessTokens<R>(
  context: Context,
  userId: number,
  chosen: ChosenTokens,
  page: PageRequest,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<Page<R>> {
  authorizeAccount(requireActor(context), userId);
  return list(context.db, ofUser(userId, chosen, false), chosen.orderBy, page, selection);
}

/** The impersonation tokens of a user, for administrators. Throws Forbidden. */
export async function listImpersonationTokens<R>(
  context: Context,
  userId: number,
  chosen: ChosenTokens,
  page: PageRequest,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  return list(context.db, ofUser(userId, chosen, true), chosen.orderBy, page, selection);
}

/** One token of a user; impersonation tokens are for administrators. Throws Forbidden, NotFound. */
export async function findTokenOf<R>(
  context: Context,
  userId: number,
  id: number,
  impersonation: boolean,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  if (impersonation) requireAdmin(context);
  else authorizeAccount(requireActor(context), userId);
  const where = sql`${token.id} = ${id} AND ${token.userId} = ${userId} AND ${token.impersonation} = ${impersonation}`;
  const found = await readRow(context.db, selection, { rows: token, where });
  if (!found) throw new NotFound(impersonation ? 'Impersonation Token' : 'Personal Access Token');
  return found;
}

/** A token of the actor, or any for administrators. Throws NotFound, for missing tokens and those of others alike. */
export async function findToken<R>(
  context: Context,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  const actor = requireActor(context);
  const where = sql`${token.id} = ${id} AND ${seenBy(actor)}`;
  const found = await readRow(context.db, selection, { rows: token, where });
  if (!found) throw noToken(actor);
  return found;
}

/** The error for a token that the actor cannot see. */
export function noToken({ admin }: Pick<Actor, 'admin'>): DomainError {
  if (admin) return new NotFound('Personal Access Token');
  const message = 'There is no such token of yours.';
  return new DomainError('notFound', message, { resource: 'Personal Access Token' }, 'tokenNotOwn');
}

/** The personal access token that the request was made with, whatever its scopes. Throws Unauthenticated, BadRequest for other credentials. */
export async function currentToken<R>(context: Context, selection: Selection<'PersonalAccessToken', R>): Promise<R> {
  const { tokenId } = requireTokenHolder(context);
  const found = await readRow(context.db, selection, { rows: token, where: sql`${token.id} = ${tokenId}` });
  if (!found) throw new NotFound('Personal Access Token');
  return found;
}

/** The tokens with these IDs that the actor may see: their own personal ones, for administrators all. */
export async function findTokensByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R[]> {
  const where = sql`${token.id} = ANY(${[...ids]}::int[]) AND ${seenBy(requireActor(context))}`;
  return readRows(context.db, selection, { rows: token, where });
}

/** Implements `gantry token list`: all tokens of a user. */
export async function listTokensFromCommandLine(db: Db, userId: number): Promise<TokenRow[]> {
  return readRows(db, TOKEN, { rows: token, where: sql`${token.userId} = ${userId}` });
}

function seenBy(actor: Actor): Prisma.Sql {
  return sql`((${token.userId} = ${actor.id} AND NOT ${token.impersonation}) OR ${actor.admin}::boolean)`;
}

function ofUser(userId: number, { state, filter }: ChosenTokens, impersonation: boolean): Prisma.Sql {
  const own = sql`${token.userId} = ${userId} AND ${token.impersonation} = ${impersonation}`;
  return all([own, ...matchingTokens({ state }), ...(filter ? matchingTokens(filter) : [])]);
}

/** The conditions of a filter. */
export function matchingTokens({ state, revoked, search, ...times }: TokenFilter): Prisma.Sql[] {
  const { name, createdAt, lastUsedAt, expiresAt } = token;
  const { createdAfter, createdBefore, lastUsedAfter, lastUsedBefore, expiresAfter, expiresBefore } = times;
  return [
    ...(state === 'all' ? [] : [state === 'active' ? isActiveToken(token) : sql`NOT ${isActiveToken(token)}`]),
    ...(revoked == null ? [] : [sql`${token.revoked} = ${revoked}`]),
    ...(search ? [sql`${name} ILIKE ${containing(search)}`] : []),
    ...(createdAfter ? [sql`${createdAt} >= ${timestamp(createdAfter)}`] : []),
    ...(createdBefore ? [sql`${createdAt} <= ${timestamp(createdBefore)}`] : []),
    ...(lastUsedAfter ? [sql`${lastUsedAt} >= ${timestamp(lastUsedAfter)}`] : []),
    ...(lastUsedBefore ? [sql`${lastUsedAt} <= ${timestamp(lastUsedBefore)}`] : []),
    ...(expiresAfter ? [sql`${expiresAt} >= ${expiresAfter}::date`] : []),
    ...(expiresBefore ? [sql`${expiresAt} <= ${expiresBefore}::date`] : []),
  ];
}

/** The columns of an order. */
export function tokenOrder(asked: TokenOrder): Order<'PersonalAccessToken'> {
  const [, name, sort] = /^(.+)_(asc|desc)$/.exec(asked) as unknown as [string, keyof typeof COLUMNS, Direction];
  const column = COLUMNS[name];
  const nulls = column === 'expiresAt' || column === 'lastUsedAt' ? 'above' : undefined;
  return order('PersonalAccessToken', column === 'id' ? ['id'] : [column, 'id'], sort, { nulls });
}

function list<R>(
  db: Db,
  where: Prisma.Sql,
  asked: TokenOrder,
  page: PageRequest,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<Page<R>> {
  return readPage(db, selection, { rows: token, where, order: tokenOrder(asked) }, page);
}
