import { Prisma } from '#src/db.ts';

/** What everybody may see of a user. */
export interface UserRow {
  id: number;
  username: string;
  name: string;
  state: 'active' | 'blocked' | 'ldap_blocked';
}

/** A UserRow as JSON from the row under a table alias, null when the outer join found none. */
export function userJson(alias: string): Prisma.Sql {
  const column = (name: string) => Prisma.raw(`${alias}.${name}`);
  return Prisma.sql`CASE WHEN ${column('id')} IS NULL THEN NULL ELSE json_build_object('id', ${column('id')},
    'username', ${column('username')}, 'name', ${column('name')}, 'state', ${column('state')}) END`;
}
