import { openTo, type Seer } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';

const { sql } = Prisma;

/** The alias of snippets in the conditions here. */
export const snippet = alias('Snippet', 's');

/** Belongs to no project. */
export const personal = sql`${snippet.projectId} IS NULL`;

/**
 * Whether an actor can see a snippet because of its visibility: private ones are visible to their author, public ones to
 * everyone. External users count as any other where they are members of the project.
 */
export function visible(
  actor: Seer | null,
  isMember: boolean | Prisma.Sql = false,
  of: Alias<'Snippet'> = snippet,
): Prisma.Sql {
  if (!actor) return openTo(null, of);
  if (actor.admin) return sql`TRUE`;
  const byLevel = actor.external
    ? sql`${openTo(actor, of)} OR (${isMember} AND ${openTo({ ...actor, external: false }, of)})`
    : openTo(actor, of);
  return sql`(${of.authorId} = ${actor.id} OR ${byLevel})`;
}

export const newestFirst = order('Snippet', ['id'], 'desc');
