import type { Actor } from '#src/access/actor.ts';
import { containing, hasTrigrams, holds, Prisma } from '#src/platform/db.ts';

const { sql } = Prisma;

/**
 * Whether a text is found in the name or username of the user under alias `u`, or is the whole primary e-mail address,
 * whatever its case. Administrators find parts of addresses too: anybody else would learn an address from them letter by letter.
 */
export function userMatches(actor: Pick<Actor, 'admin'> | null, text: string): Prisma.Sql {
  const pattern = containing(text);
  if (!hasTrigrams(text)) {
    const email = actor?.admin ? holds(sql`u.email`, pattern) : sql`lower(u.email) = lower(${text})`;
    return sql`(${holds(sql`u.name`, pattern)} OR ${holds(sql`u.username`, pattern)} OR ${email})`;
  }
  // One branch for each column, so that each finds its users by its own index.
  const email = actor?.admin ? sql`f.email ILIKE ${pattern}` : sql`lower(f.email) = lower(${text})`;
  return sql`u.id IN (SELECT f.id FROM users f WHERE f.name ILIKE ${pattern}
    UNION ALL SELECT f.id FROM users f WHERE f.username ILIKE ${pattern} UNION ALL SELECT f.id FROM users f WHERE ${email})`;
}
