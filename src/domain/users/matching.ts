import type { Actor } from '#src/access/permissions/actor.ts';
import { containing, hasTrigrams, holds, Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const found = alias('User', 'f');

/**
 * Whether a text occurs in the name or username of the user under an alias, or is the whole public e-mail address, ignoring case.
 * Only administrators find by parts of primary addresses, which are private; everybody finds themselves by theirs.
 */
export function userMatches(user: Alias<'User'>, actor: Pick<Actor, 'id' | 'admin'> | null, text: string): Prisma.Sql {
  const pattern = containing(text);
  const byAddress = ({ id, email, publicEmail }: Pick<Alias<'User'>, 'id' | 'email' | 'publicEmail'>) => {
    const isPublic = sql`${publicEmail} = lower(${text})`;
    return actor ? sql`(${isPublic} OR ${id} = ${actor.id} AND lower(${email}) = lower(${text}))` : isPublic;
  };
  if (!hasTrigrams(text)) {
    const email = actor?.admin ? holds(user.email, pattern) : byAddress(user);
    return sql`(${holds(user.name, pattern)} OR ${holds(user.username, pattern)} OR ${email})`;
  }
  // One branch per column, so that each finds its users by its own index.
  const email = actor?.admin ? sql`f.email ILIKE ${pattern}` : byAddress(found);
  return sql`${user.id} IN (SELECT f.id FROM users f WHERE f.name ILIKE ${pattern}
    UNION ALL SELECT f.id FROM users f WHERE f.username ILIKE ${pattern} UNION ALL SELECT f.id FROM users f WHERE ${email})`;
}

/** Whether the user under an alias is a person who may sign in: no blocked or deactivated user, no program, and not the ghost. */
export function isActivePerson(user: Alias<'User'>): Prisma.Sql {
  return sql`(${user.state} = 'active' AND NOT ${user.bot} AND NOT ${user.ghost})`;
}
