import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Actor, type Context, requireAccount, requireAdmin } from '#src/access/permissions/actor.ts';
import type { Fingerprint } from '#src/domain/users/keys/fingerprint.ts';
import { type UserRow, userJson } from '#src/domain/users/rows.ts';
import type { KeyUsage } from '#src/generated/prisma/client.ts';
import { all, Prisma, queryJson, queryPage } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { between, chosenOr, order, placePair, slice, sorted } from '#src/platform/records/order.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const key = alias('SshKey', 'k');
const NEWEST_FIRST = order('SshKey', ['id'], 'desc');

/** A public key of a user. */
export interface KeyRow {
  id: number;
  title: string;
  key: string;
  fingerprint: string;
  fingerprintSha256: string;
  /** ISO 8601. */
  createdAt: string;
  /** From when on nobody is let in by it, ISO 8601; null for never. */
  expiresAt: string | null;
  usageType: KeyUsage;
  /** ISO 8601; null if never. */
  lastUsedAt: string | null;
  user: UserRow;
}

/** The keys of a user, newest first. Throws Forbidden unless the actor is that user or an administrator. */
export async function listKeys(
  context: Context,
  userId: number,
  page: PageRequest,
  users: Selection<'User'>,
): Promise<Page<KeyRow>> {
  authorizeAccount(requireAccount(context), userId);
  const total = page.withTotal && sql`(SELECT count(*) FROM ssh_keys WHERE user_id = ${userId})`;
  const by = chosenOr(NEWEST_FIRST, page);
  const where = all([sql`k.user_id = ${userId}`, ...between(key, by, page)]);
  return queryPage(context.db, page, keyRows(where, slice(key, by, page), users, by), total);
}

/** One key of a user. Throws Forbidden, NotFound. */
export async function findKey(context: Context, userId: number, id: number): Promise<KeyRow> {
  authorizeAccount(requireAccount(context), userId);
  return one(context, sql`k.user_id = ${userId} AND k.id = ${id}`);
}

/** Any key, for administrators. Throws Forbidden, NotFound. */
export async function findAnyKey(context: Context, id: number): Promise<KeyRow> {
  requireAdmin(context);
  return one(context, sql`k.id = ${id}`);
}

/** The keys with these IDs that the actor may see: their own, for administrators all. */
export async function findKeysByIds(context: Context, ids: readonly number[]): Promise<KeyRow[]> {
  const actor: Actor = requireAccount(context);
  const seen = sql`k.id = ANY(${[...ids]}::int[]) AND (${actor.admin}::boolean OR k.user_id = ${actor.id})`;
  return queryJson(context.db, keyRows(seen, Prisma.empty));
}

async function one({ db }: Context, condition: Prisma.Sql): Promise<KeyRow> {
  const [key] = await queryJson<KeyRow[]>(db, keyRows(condition, sql`LIMIT 1`));
  if (!key) throw new NotFound('Key');
  return key;
}

/** The key of a user with a fingerprint, for administrators; null if there is none. Throws Forbidden. */
export async function keyByFingerprint(
  context: Context,
  { algorithm, fingerprint }: Fingerprint,
  users: Selection<'User'>,
): Promise<KeyRow | null> {
  requireAdmin(context);
  const own = algorithm === 'md5' ? sql`k.fingerprint = ${fingerprint}` : sql`k.fingerprint_sha256 = ${fingerprint}`;
  const [found = null] = await queryJson<KeyRow[]>(context.db, keyRows(own, sql`LIMIT 1`, users));
  return found;
}

function keyRows(condition: Prisma.Sql, part: Prisma.Sql, users?: Selection<'User'>, by = NEWEST_FIRST): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', k.id, 'title', k.title, 'key', k.key,
    'fingerprint', k.fingerprint, 'fingerprintSha256', k.fingerprint_sha256, 'createdAt', k.created_at,
    'expiresAt', k.expires_at, 'usageType', k.usage_type,
    'lastUsedAt', k.last_used_at, 'user', ${userJson('u', users)}, ${placePair(key, by)}) ORDER BY ${sorted(key, by)}), '[]')
    FROM (SELECT * FROM ssh_keys k WHERE ${condition} ${part}) k JOIN users u ON u.id = k.user_id)`;
}
