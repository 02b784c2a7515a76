import { type Context, requireActor } from '#src/access/actor.ts';
import { live } from '#src/access/visibility.ts';
import { authorizeReading, ofSource, type Source } from '#src/members/source.ts';
import { all, Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { userMatches } from '#src/users/matching.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** A direct membership. */
export interface MemberRow {
  id: number;
  user: UserRow;
  accessLevel: number;
  /** The day from which on it gives nothing: `YYYY-MM-DD`. */
  expiresAt: string | null;
  /** ISO 8601. */
  createdAt: string;
}

/**
 * The direct members of a project or group, newest users first; expired ones are none. `query` is found as userMatches says.
 */
export async function listMembers(
  context: Context,
  source: Source,
  { query }: { query?: string | null | undefined },
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<MemberRow>> {
  const actor = requireActor(context);
  authorizeReading(actor, source);
  const conditions = [ofSource(source, 'm'), live('m')];
  if (query?.trim()) conditions.push(userMatches(alias('User', 'u'), actor, query.trim()));
  const from = sql`members m JOIN users u ON u.id = m.user_id WHERE ${all(conditions)}`;
  const rows = sql`SELECT ${COLUMNS} FROM ${from} ORDER BY m.user_id DESC LIMIT ${limit} OFFSET ${offset}`;
  const total = withTotal && sql`(SELECT count(*) FROM ${from})`;
  return queryPage(context.db, offset, sql`(${asArray(rows)})`, total);
}

/** The direct member with that user ID. Throws NotFound. */
export async function findMember(context: Context, source: Source, userId: number): Promise<MemberRow> {
  authorizeReading(requireActor(context), source);
  return readMember(context, source, userId, live('m'));
}

/** The membership as it is stored, even one that gives nothing: for reading back after a change. Throws NotFound. */
export async function readMember(
  { db }: Pick<Context, 'db'>,
  source: Source,
  userId: number,
  condition: Prisma.Sql = sql`TRUE`,
): Promise<MemberRow> {
  const rows = sql`SELECT ${COLUMNS} FROM members m JOIN users u ON u.id = m.user_id
    WHERE ${ofSource(source, 'm')} AND m.user_id = ${userId} AND ${condition}`;
  const [member] = await queryJson<MemberRow[]>(db, sql`(${asArray(rows)})`);
  if (!member) throw new NotFound('Member');
  return member;
}

const COLUMNS = sql`m.id, ${userJson('u')} AS "user", m.access_level AS "accessLevel", m.expires_at AS "expiresAt",
  m.created_at AS "createdAt"`;

function asArray(rows: Prisma.Sql): Prisma.Sql {
  return sql`SELECT COALESCE(json_agg(row_to_json(t)), '[]') FROM (${rows}) t`;
}
