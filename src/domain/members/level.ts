import { DEVELOPER, GUEST, MASTER, OWNER, REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import type { Source } from '#src/domain/members/source.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden } from '#src/platform/errors.ts';

const LEVELS: Record<Source['kind'], readonly number[]> = {
  project: [GUEST, REPORTER, DEVELOPER, MASTER],
  group: [GUEST, REPORTER, DEVELOPER, MASTER, OWNER],
};

/** The errors of an access level in the source (rest-api-v4.md, Member: 50 is valid for groups only). */
export function levelErrors({ kind }: Source, level: number): FieldErrors {
  return LEVELS[kind].includes(level) ? {} : { access_level: ['is not included in the list'] };
}

/** Throws Forbidden for a level above the actor's own. */
export function checkGrant(actor: Actor, { record }: Source, level: number): void {
  if (!actor.admin && level > record.accessLevel) throw new Forbidden();
}

/** The words for levels in messages. */
const ROLES: Readonly<Record<number, string>> = {
  [GUEST]: 'Guest',
  [REPORTER]: 'Reporter',
  [DEVELOPER]: 'Developer',
  [MASTER]: 'Maintainer',
  [OWNER]: 'Owner',
};

/**
 * The errors of a level for a user who is a member of a group around the source: it must not be below what that group gives. By
 * user ID, for those who have any.
 */
export async function inheritedErrors(
  db: Pick<Transaction, '$queryRaw'>,
  source: Source,
  userIds: readonly number[],
  level: number,
): Promise<Map<number, FieldErrors>> {
  const around =
    source.kind === 'project'
      ? Prisma.sql`n.id = ${source.record.namespaceId}`
      : Prisma.sql`n.id = ${source.record.parentId ?? 0}`;
  const rows = await db.$queryRaw<{ userId: number; level: number; name: string }[]>`
    SELECT DISTINCT ON (m.user_id) m.user_id AS "userId", m.access_level AS level, g.name
    FROM namespaces n JOIN members m ON m.namespace_id = ANY(n.lineage) JOIN namespaces g ON g.id = m.namespace_id
    WHERE ${around} AND m.user_id = ANY(${[...userIds]}::int[]) AND ${notExpired('m')}
    ORDER BY m.user_id, m.access_level DESC, cardinality(g.lineage)`;
  const lower = rows.filter((row) => row.level > level);
  return new Map(
    lower.map(({ userId, level: least, name }) => [
      userId,
      {
        access_level: [`should be greater than or equal to ${ROLES[least]} inherited membership from group ${name}`],
      },
    ]),
  );
}
