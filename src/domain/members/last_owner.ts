import { OWNER } from '#src/access/permissions/abilities.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import type { MemberPlace, Source } from '#src/domain/members/source.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';

/**
 * Makes sure that a group keeps a direct owner when this member ceases to be one. Locks the group, so that two owners leaving at
 * once are serialized. Throws Forbidden.
 */
export async function keepAnOwner(
  tx: Transaction,
  source: Source,
  member: { id: number; accessLevel: number },
): Promise<void> {
  if (await isLastOwner(tx, source, member)) throw new Forbidden();
}

/** Whether a member is the only direct owner of a group. Locks the group. */
export async function isLastOwner(
  tx: Transaction,
  { kind, record }: MemberPlace,
  member: { id: number; accessLevel: number },
): Promise<boolean> {
  if (kind !== 'group' || member.accessLevel !== OWNER) return false;
  await tx.$queryRaw`SELECT id FROM namespaces WHERE id = ${record.id} FOR NO KEY UPDATE`;
  const others = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM members m WHERE m.namespace_id = ${record.id} AND m.access_level = ${OWNER} AND m.id <> ${member.id}
      AND ${notExpired('m')} LIMIT 1`;
  return others.length === 0;
}
