import type { Actor } from '#src/access/permissions/actor.ts';
import { containing, hasTrigrams, holds, Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;

/**
 * Whether a text occurs in the name or username of the user under an alias, or is the whole primary e-mail address, ignoring
 * case. Only administrators can search for parts of addresses, as others could find out an address letter by letter.
 */
export function userMatches(user: Alias<'User'>, actor: Pick<Actor, 'admin'> | null, text: string): Prisma.Sql {
  const pattern = containing(text);
  if (!hasTrigrams(text)) {
    const email = actor?.admin ? holds(user.email, pattern) : sql`lower(${user.email}) = lower(${text})`;
    return sql`(${holds(user.name, pattern)} OR ${holds(user.username, pattern)} OR ${email})`;
  }
  // One branch per column, so that each finds its users by its own index.
  const email = actor?.admin ? sql`f.email ILIKE ${pattern}` : sql`lower(f.email) = lower(${text})`;
  return sql`${user.id} IN (SELECT f.id FROM users f WHERE f.name ILIKE ${pattern}
    UNION ALL SELECT f.id FROM users f WHERE f.username ILIKE ${pattern} UNION ALL SELECT f.id FROM users f WHERE ${email})`;
}
