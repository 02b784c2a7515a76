import { ACTIVE_TOKEN } from '#src/access/credentials/tokens/active.ts';
import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { all, type Db, Prisma, queryJson, queryPage } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { between, order, placePair, slice } from '#src/platform/records/order.ts';

const { sql } = Prisma;
const token = alias('PersonalAccessToken', 't');
const OLDEST_FIRST = order('PersonalAccessToken', ['id']);

/** A personal access token or impersonation token. */
export interface TokenRow {
  id: number;
  name: string;
  scopes: string[];
  revoked: boolean;
  /** Neither revoked nor expired. */
  active: boolean;
  /** First day on which it is inactive: YYYY-MM-DD. */
  expiresAt: string | null;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601, to the hour; null if it was never used. */
  lastUsedAt: string | null;
  impersonation: boolean;
  /** The token itself, which is only known when it is created. */
  token?: string;
}

export type TokenState = 'all' | 'active' | 'inactive';

/** A user's own tokens in order of creation, for the user and administrators. Throws Forbidden. */
export async function listPersonalAccessTokens(
  context: Context,
  userId: number,
  state: TokenState,
  page: PageRequest,
): Promise<Page<TokenRow>> {
  authorizeAccount(requireActor(context), userId);
  return list(context, userId, state, page, false);
}

/** The impersonation tokens of a user, for administrators. Throws Forbidden. */
export async function listImpersonationTokens(
  context: Context,
  userId: number,
  state: TokenState,
  page: PageRequest,
): Promise<Page<TokenRow>> {
  requireAdmin(context);
  return list(context, userId, state, page, true);
}

/** One token of a user; impersonation tokens are for administrators. Throws Forbidden, NotFound. */
export async function findToken(
  context: Context,
  userId: number,
  id: number,
  impersonation: boolean,
): Promise<TokenRow> {
  if (impersonation) requireAdmin(context);
  else authorizeAccount(requireActor(context), userId);
  const condition = sql`t.id = ${id} AND t.user_id = ${userId} AND t.impersonation = ${impersonation}`;
  const [token] = await queryJson<TokenRow[]>(context.db, tokenRows(condition, sql`LIMIT 1`));
  if (!token) throw new NotFound(impersonation ? 'Impersonation Token' : 'Personal Access Token');
  return token;
}

/** The tokens with these IDs that the actor may see: their own personal ones, for administrators all. */
export async function findTokensByIds(context: Context, ids: readonly number[]): Promise<TokenRow[]> {
  const actor = requireActor(context);
  const own = sql`(t.user_id = ${actor.id} AND NOT t.impersonation)`;
  const seen = sql`t.id = ANY(${[...ids]}::int[]) AND (${actor.admin}::boolean OR ${own})`;
  return queryJson(context.db, tokenRows(seen, Prisma.empty));
}

/** Implements `gantry token list`: all tokens of a user. */
export async function listTokensFromCommandLine(db: Db, userId: number): Promise<TokenRow[]> {
  return queryJson(db, tokenRows(sql`t.user_id = ${userId}`, sql``));
}

async function list(
  { db }: Context,
  userId: number,
  state: TokenState,
  page: PageRequest,
  impersonation: boolean,
): Promise<Page<TokenRow>> {
  const where = all([
    sql`t.user_id = ${userId} AND t.impersonation = ${impersonation}`,
    ...(state === 'all' ? [] : [state === 'active' ? ACTIVE_TOKEN : sql`NOT ${ACTIVE_TOKEN}`]),
  ]);
  const total = page.withTotal && sql`(SELECT count(*) FROM personal_access_tokens t WHERE ${where})`;
  const conditions = all([where, ...between(token, OLDEST_FIRST, page)]);
  return queryPage(db, page, tokenRows(conditions, slice(token, OLDEST_FIRST, page)), total);
}

function tokenRows(condition: Prisma.Sql, part: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', t.id, 'name', t.name, 'scopes', t.scopes,
    'revoked', t.revoked, 'active', ${ACTIVE_TOKEN}, 'expiresAt', t.expires_at, 'createdAt', t.created_at,
    'lastUsedAt', t.last_used_at, 'impersonation', t.impersonation, ${placePair(token, OLDEST_FIRST)}) ORDER BY t.id), '[]')
    FROM (SELECT * FROM personal_access_tokens t WHERE ${condition} ${part}) t)`;
}
