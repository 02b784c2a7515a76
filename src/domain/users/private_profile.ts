import type { Actor } from '#src/access/permissions/actor.ts';
import { PUBLIC_IS_OPEN } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;

/**
 * Whether the actor may see what a user does: events, projects, groups and stars. With a private profile, only administrators and
 * the user do.
 *
 * @param userId SQL for the ID of the user
 */
export function activityVisible(actor: Pick<Actor, 'id' | 'admin'> | null, userId: Prisma.Sql): Prisma.Sql {
  if (actor?.admin) return sql`TRUE`;
  const others = actor === null ? sql`` : sql`AND pp.id <> ${actor.id}`;
  return sql`NOT EXISTS (SELECT 1 FROM users pp WHERE pp.id = ${userId} AND pp.private_profile ${others})`;
}

/**
 * Whether the actor finds a user by name or ID: visitors without an account only where the profile is not private and public is open to
 * them. Placeholders of imports are seen where something is theirs, and found by administrators alone.
 */
export function profileVisible(
  actor: Pick<Actor, 'id' | 'admin'> | null,
  user: Pick<Alias<'User'>, 'privateProfile' | 'placeholderSource'>,
): Prisma.Sql {
  if (actor?.admin) return sql`TRUE`;
  const isSomebody = sql`${user.placeholderSource} IS NULL`;
  return actor ? isSomebody : sql`(${isSomebody} AND NOT ${user.privateProfile} AND ${PUBLIC_IS_OPEN})`;
}
