import type { Actor } from '#src/access/actor.ts';
import { containing, Prisma } from '#src/db.ts';

const { sql } = Prisma;

/**
 * Whether a text is found in the name or username of the user under alias `u`, or is the whole primary e-mail address,
 * whatever its case. Administrators find parts of addresses too: anybody else would learn an address from them letter by letter.
 */
export function userMatches(actor: Pick<Actor, 'admin'> | null, text: string): Prisma.Sql {
  const pattern = containing(text);
  const email = actor?.admin ? sql`u.email ILIKE ${pattern}` : sql`lower(u.email) = lower(${text})`;
  return sql`(u.name ILIKE ${pattern} OR u.username ILIKE ${pattern} OR ${email})`;
}
