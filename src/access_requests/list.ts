import { type Context, requireActor } from '#src/access/actor.ts';
import { authorizeRequests, ofSource, type Source } from '#src/members/source.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** A user's wish to become a member. */
export interface AccessRequestRow {
  id: number;
  user: UserRow;
  /** ISO 8601. */
  requestedAt: string;
}

/** The open requests for access to a project or group, in the order in which they came. For those who decide on them. */
export async function listAccessRequests(
  context: Context,
  source: Source,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<AccessRequestRow>> {
  authorizeRequests(requireActor(context), source);
  const rows = requests(sql`${ofSource(source, 'r')} ORDER BY r.id LIMIT ${limit} OFFSET ${offset}`);
  const total = withTotal && sql`(SELECT count(*) FROM access_requests r WHERE ${ofSource(source, 'r')})`;
  return queryPage(context.db, offset, rows, total);
}

/** The request of a user, without any check: the caller makes it. Throws NotFound. */
export async function readAccessRequest(
  { db }: Pick<Context, 'db'>,
  source: Source,
  userId: number,
): Promise<AccessRequestRow> {
  const [request] = await queryJson<AccessRequestRow[]>(
    db,
    requests(sql`${ofSource(source, 'r')} AND r.user_id = ${userId}`),
  );
  if (!request) throw new NotFound('AccessRequest');
  return request;
}

function requests(condition: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(row_to_json(t)), '[]') FROM (
    SELECT r.id, ${userJson('u')} AS "user", r.requested_at AS "requestedAt"
    FROM access_requests r JOIN users u ON u.id = r.user_id WHERE ${condition}) t)`;
}
