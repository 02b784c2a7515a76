import { authorizeAccount } from '#src/access/account.ts';
import { type Context, requireAccount } from '#src/access/actor.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

const { sql } = Prisma;

/** A secondary address of a user. */
export interface EmailRow {
  id: number;
  userId: number;
  email: string;
  /** ISO 8601. */
  createdAt: string;
  /** When it was known to be the user's; null while it is not. ISO 8601. */
  confirmedAt: string | null;
}

/** The secondary addresses of a user, newest first. Throws Forbidden for others than the user and administrators. */
export async function listEmails(context: Context, userId: number, page: PageRequest): Promise<Page<EmailRow>> {
  authorizeAccount(requireAccount(context), userId);
  const { limit, offset, withTotal } = page;
  const total = withTotal && sql`(SELECT count(*) FROM emails WHERE user_id = ${userId})`;
  const rows = emailRows(sql`e.user_id = ${userId}`, sql`LIMIT ${limit} OFFSET ${offset}`);
  return queryPage(context.db, offset, rows, total);
}

/** One secondary address of a user. Throws Forbidden, NotFound. */
export async function findEmail(context: Context, userId: number, id: number): Promise<EmailRow> {
  authorizeAccount(requireAccount(context), userId);
  return one(context, sql`e.user_id = ${userId} AND e.id = ${id}`);
}

/** Those of the secondary addresses with these IDs that the actor may see: the actor's own, for administrators all. */
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

function emailRows(condition: Prisma.Sql, slice: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', e.id, 'userId', e.user_id, 'email', e.email,
    'createdAt', e.created_at, 'confirmedAt', e.confirmed_at) ORDER BY e.id DESC), '[]')
    FROM (SELECT * FROM emails e WHERE ${condition} ORDER BY e.id DESC ${slice}) e)`;
}
