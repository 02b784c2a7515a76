import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { all, Prisma, queryJson, queryPage } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { between, chosenOr, order, placePair, slice, sorted } from '#src/platform/records/order.ts';

const { sql } = Prisma;
const email = alias('Email', 'e');
const NEWEST_FIRST = order('Email', ['id'], 'desc');

/** A secondary address of a user. */
export interface EmailRow {
  id: number;
  userId: number;
  email: string;
  /** ISO 8601. */
  createdAt: string;
  /** When it was confirmed as the user's; null before. ISO 8601. */
  confirmedAt: string | null;
}

/** The secondary addresses of a user, newest first. Throws Forbidden unless the actor is that user or an administrator. */
export async function listEmails(context: Context, userId: number, page: PageRequest): Promise<Page<EmailRow>> {
  authorizeAccount(requireAccount(context), userId);
  const total = page.withTotal && sql`(SELECT count(*) FROM emails WHERE user_id = ${userId})`;
  const by = chosenOr(NEWEST_FIRST, page);
  const where = all([sql`e.user_id = ${userId}`, ...between(email, by, page)]);
  return queryPage(context.db, page, emailRows(where, slice(email, by, page), by), total);
}

/** One secondary address of a user. Throws Forbidden, NotFound. */
export async function findEmail(context: Context, userId: number, id: number): Promise<EmailRow> {
  authorizeAccount(requireAccount(context), userId);
  return one(context, sql`e.user_id = ${userId} AND e.id = ${id}`);
}

/** The secondary addresses with these IDs that the actor may see: their own, for administrators all. */
export async function findEmailsByIds(context: Context, ids: readonly number[]): Promise<EmailRow[]> {
  const actor = requireAccount(context);
  const seen = sql`e.id = ANY(${[...ids]}::int[]) AND (${actor.admin}::boolean OR e.user_id = ${actor.id})`;
  return queryJson(context.db, emailRows(seen, Prisma.empty));
}

async function one({ db }: Context, condition: Prisma.Sql): Promise<EmailRow> {
  const [email] = await queryJson<EmailRow[]>(db, emailRows(condition, sql`LIMIT 1`));
  if (!email) throw new NotFound('Email');
  return email;
}

function emailRows(condition: Prisma.Sql, part: Prisma.Sql, by = NEWEST_FIRST): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', e.id, 'userId', e.user_id, 'email', e.email,
    'createdAt', e.created_at, 'confirmedAt', e.confirmed_at, ${placePair(email, by)}) ORDER BY ${sorted(email, by)}), '[]')
    FROM (SELECT * FROM emails e WHERE ${condition} ${part}) e)`;
}
