import type { Actor } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';

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
