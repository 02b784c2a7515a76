import type { Context } from '#src/access/permissions/actor.ts';
import { type UserRow, userJson } from '#src/domain/users/rows.ts';
import { Prisma, queryJson } from '#src/platform/database/db.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** Characters of the longest address that is looked up. */
const MAX_ADDRESS_LENGTH = 254;

/**
 * The user of each address, primary or secondary, ignoring case, in one statement: null if no user has confirmed the address. For
 * signed-in callers only.
 */
export async function usersByAddresses<R>(
  { db, actor }: Context,
  addresses: readonly string[],
  selection: Selection<'User', R>,
): Promise<((UserRow & R) | null)[]> {
  const folded = addresses.map((address) => address.trim().toLowerCase());
  const wanted = [...new Set(folded)].filter(
    (one) => one.length <= MAX_ADDRESS_LENGTH && one.includes('@') && !one.includes('\0'),
  );
  if (!actor || wanted.length === 0) return addresses.map(() => null);
  const owners = sql`SELECT lower(u.email) AS address, u.id FROM users u
      WHERE lower(u.email) = ANY(${wanted}::text[]) AND u.confirmed_at IS NOT NULL AND NOT u.ghost
    UNION ALL SELECT lower(e.email), e.user_id FROM emails e
      WHERE lower(e.email) = ANY(${wanted}::text[]) AND e.confirmed_at IS NOT NULL`;
  const pairs = sql`(SELECT COALESCE(json_agg(json_build_object('address', o.address, 'user', ${userJson('o', selection)})), '[]')
    FROM (${owners}) o)`;
  const found = await queryJson<{ address: string; user: UserRow & R }[]>(db, pairs);
  const known = new Map(found.map(({ address, user }) => [address, user]));
  return folded.map((address) => known.get(address) ?? null);
}
