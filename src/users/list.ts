import { type Actor, type Context, requireAccount } from '#src/access/actor.ts';
import { all, Prisma, queryPage } from '#src/platform/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { userMatches } from '#src/users/matching.ts';
import { detailedUserJson, type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

export interface UserFilter {
  /** Only those who may sign in; false does not filter. */
  active?: boolean | null | undefined;
  /** Only those who may not; false does not filter. */
  blocked?: boolean | null | undefined;
  /** Only those with this text in name or username, or with this primary address; for administrators, in that too. */
  search?: string | null | undefined;
  /** The one with this username, whatever its case; the other filters do not count then. */
  username?: string | null | undefined;
  /** Only external ones; for administrators only, others are not filtered. */
  external?: boolean | null | undefined;
}

/** Users, newest first, in one statement. The ghost is in no list. */
export async function listUsers(context: Context, filter: UserFilter, page: PageRequest): Promise<Page<UserRow>> {
  const actor = requireAccount(context);
  const { limit, offset, withTotal } = page;
  const where = all([sql`NOT u.ghost`, ...conditions(filter, actor)]);
  // Administrators get the long form of everybody; others seldom ask for more than the row.
  const json = actor.admin ? detailedUserJson('u', actor) : userJson('u');
  const nodes = sql`(SELECT COALESCE(json_agg(${json} ORDER BY u.id DESC), '[]') FROM (
    SELECT * FROM users u WHERE ${where} ORDER BY u.id DESC LIMIT ${limit} OFFSET ${offset}) u)`;
  return queryPage(context.db, offset, nodes, withTotal && sql`(SELECT count(*) FROM users u WHERE ${where})`);
}

/** When a user was last there. */
export interface UserActivity {
  user: UserRow;
  /** YYYY-MM-DD. */
  lastActivityOn: string;
}

/** Who was there on that day or later (six months ago when absent), the longest absent first. For administrators. */
export async function listActivities(
  context: Context,
  from: string | null | undefined,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<UserActivity>> {
  if (!requireAccount(context).admin) throw new Forbidden();
  const since = from == null ? sql`(now() AT TIME ZONE 'UTC' - interval '6 months')::date` : sql`${from}::date`;
  const where = sql`NOT u.ghost AND u.last_activity_on >= ${since}`;
  const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('user', ${userJson('u')}, 'lastActivityOn', u.last_activity_on)
    ORDER BY u.last_activity_on, u.id), '[]') FROM (
    SELECT * FROM users u WHERE ${where} ORDER BY u.last_activity_on, u.id LIMIT ${limit} OFFSET ${offset}) u)`;
  return queryPage(context.db, offset, nodes, withTotal && sql`(SELECT count(*) FROM users u WHERE ${where})`);
}

function conditions({ active, blocked, search, username, external }: UserFilter, actor: Actor): Prisma.Sql[] {
  if (username) return [sql`lower(u.username) = lower(${username})`];
  const text = search?.trim();
  return [
    ...(active ? [sql`u.state = 'active'`] : []),
    ...(blocked ? [sql`u.state <> 'active'`] : []),
    ...(external && actor.admin ? [sql`u.external`] : []),
    ...(text ? [userMatches(actor, text)] : []),
  ];
}
