import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const key = alias('GpgKey', 'gk');
const NEWEST_FIRST = order('GpgKey', ['id'], 'desc');

computedFields('GpgKey', {
  verifiedEmails: ({ userId, emails }) => sql`ARRAY(SELECT DISTINCT ge FROM unnest(${emails}) ge WHERE ge IN (
    SELECT lower(gu.email) FROM users gu WHERE gu.id = ${userId} AND gu.confirmed_at IS NOT NULL
    UNION ALL SELECT lower(gm.email) FROM emails gm WHERE gm.user_id = ${userId} AND gm.confirmed_at IS NOT NULL) ORDER BY ge)`,
});

/** The GPG keys of users, newest first, in one statement, for whoever is signed in. Throws Unauthenticated. */
export async function listGpgKeys<R>(
  context: Context,
  userIds: readonly number[],
  page: PageRequest,
  selection: Selection<'GpgKey', R>,
): Promise<Page<R>[]> {
  requireAccount(context);
  const pageOf = ({ user }: Asked<{ user: number }>) =>
    pageOfRows(selection, { rows: key, where: sql`${key.userId} = ${user}`, order: NEWEST_FIRST }, page);
  const parents = userIds.map((user) => ({ user }));
  return readPages<R>(context.db, page, perParent(parents, { user: 'int' }, pageOf));
}

/** A GPG key of a user, for whoever is signed in. Throws Unauthenticated, NotFound. */
export async function findGpgKey<R>(
  context: Context,
  userId: number,
  id: number,
  selection: Selection<'GpgKey', R>,
): Promise<R> {
  requireAccount(context);
  const where = sql`${key.id} = ${id} AND ${key.userId} = ${userId}`;
  const found = await readRow(context.db, selection, { rows: key, where });
  if (!found) throw new NotFound('GPG Key');
  return found;
}

/** The GPG keys with these IDs, for whoever is signed in. */
export async function findGpgKeysByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'GpgKey', R>,
): Promise<R[]> {
  requireAccount(context);
  return readRows(context.db, selection, { rows: key, where: sql`${key.id} = ANY(${[...ids]}::int[])` });
}
