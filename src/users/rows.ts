import { type Db, Prisma, queryJson } from '#src/db.ts';

/** What everybody may see of a user. */
export interface UserRow {
  id: number;
  username: string;
  name: string;
  state: 'active' | 'blocked' | 'ldap_blocked';
  /** MD5 of the primary address, under which the avatar service knows the user. */
  avatarHash: string;
}

/** A UserRow as JSON from the row under a table alias, null when the outer join found none. */
export function userJson(alias: string): Prisma.Sql {
  const column = (name: string) => Prisma.raw(`${alias}.${name}`);
  return Prisma.sql`CASE WHEN ${column('id')} IS NULL THEN NULL ELSE json_build_object('id', ${column('id')},
    'username', ${column('username')}, 'name', ${column('name')}, 'state', ${column('state')},
    'avatarHash', md5(lower(${column('email')}))) END`;
}

/** Users by ID in the order of the IDs, as everybody sees them. */
export async function usersByIds(db: Db, ids: readonly number[]): Promise<UserRow[]> {
  const wanted = [...ids];
  return queryJson(
    db,
    Prisma.sql`(SELECT COALESCE(json_agg(${userJson('u')} ORDER BY array_position(${wanted}::int[], u.id)), '[]')
    FROM users u WHERE u.id = ANY(${wanted}::int[]))`,
  );
}
