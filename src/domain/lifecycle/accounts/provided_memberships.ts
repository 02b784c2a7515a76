import { audit, BY_SERVER } from '#src/access/audit/record.ts';
import { OWNER } from '#src/access/permissions/abilities.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { endOf } from '#src/domain/members/audit.ts';
import { isLastOwner } from '#src/domain/members/last_owner.ts';
import { lockAccess } from '#src/domain/members/source.ts';
import type { GroupMapping } from '#src/platform/config/sign_in_providers.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

interface Held {
  memberId: number;
  userId: number;
  groupId: number;
  accessLevel: number;
}

/**
 * Gives the user of an identity the memberships that the provider's groups stand for, with the highest level of each group, and
 * ends those that it gave before and does not any more. Memberships that people gave are left alone, and a group keeps its last
 * owner.
 */
export async function provideMemberships(
  db: Db,
  identity: { id: number; userId: number },
  mappings: readonly GroupMapping[],
  names: readonly string[],
): Promise<void> {
  const wanted = await wantedLevels(db, mappings, names);
  const held = await heldBy(db, identity.id);
  const byGroup = new Map(held.map((one) => [one.groupId, one]));
  const toGive = [...wanted].filter(([groupId]) => !byGroup.has(groupId));
  const toChange = held.filter(({ groupId, accessLevel }) => (wanted.get(groupId) ?? accessLevel) !== accessLevel);
  const toEnd = held.filter(({ groupId }) => !wanted.has(groupId));
  // Most sign-ins change nothing.
  if (toGive.length + toChange.length + toEnd.length === 0) return;
  await db.$transaction(async (tx) => {
    for (const [groupId, accessLevel] of toGive) await give(tx, identity, groupId, accessLevel);
    for (const one of toChange) await change(tx, one, wanted.get(one.groupId) ?? one.accessLevel);
    for (const one of toEnd) await end(tx, one);
  });
}

/** Ends all memberships that a provider gave to the user of an identity. */
export async function endProvidedMemberships(tx: Transaction, identityId: number): Promise<void> {
  for (const one of await heldBy(tx, identityId)) await end(tx, one);
}

/** The level that the names stand for in each group that there is, by its ID. */
async function wantedLevels(
  db: Db,
  mappings: readonly GroupMapping[],
  names: readonly string[],
): Promise<Map<number, number>> {
  const told = new Set(names.map((name) => name.toLowerCase()));
  const levels = new Map<string, number>();
  for (const { name, group, accessLevel } of mappings) {
    const path = group.toLowerCase();
    if (told.has(name.toLowerCase())) levels.set(path, Math.max(accessLevel, levels.get(path) ?? 0));
  }
  if (levels.size === 0) return new Map();
  const groups = await db.$queryRaw<{ id: number; path: string }[]>`
    SELECT id, lower(full_path) AS path FROM namespaces
    WHERE lower(full_path) = ANY(${[...levels.keys()]}::text[]) AND kind = 'group' AND deleted_at IS NULL ORDER BY id`;
  return new Map(groups.map(({ id, path }) => [id, levels.get(path) ?? 0]));
}

function heldBy(db: Pick<Db, '$queryRaw'>, identityId: number): Promise<Held[]> {
  return db.$queryRaw<Held[]>`
    SELECT m.id AS "memberId", m.user_id AS "userId", m.namespace_id AS "groupId", m.access_level AS "accessLevel"
    FROM provided_memberships p JOIN members m ON m.id = p.member_id
    WHERE p.identity_id = ${identityId} ORDER BY m.namespace_id`;
}

async function give(tx: Transaction, identity: { id: number; userId: number }, groupId: number, level: number) {
  const { id, userId } = identity;
  await lockAccess(tx, { kind: 'group', record: { id: groupId } }, userId);
  // Expired memberships count as absent.
  await tx.$executeRaw`
    DELETE FROM members m WHERE m.namespace_id = ${groupId} AND m.user_id = ${userId} AND NOT ${notExpired('m')}`;
  const given = await tx.$executeRaw`
    WITH given AS (
      INSERT INTO members (user_id, namespace_id, access_level) VALUES (${userId}, ${groupId}, ${level})
      ON CONFLICT (namespace_id, user_id) DO NOTHING RETURNING id)
    INSERT INTO provided_memberships (member_id, identity_id) SELECT id, ${id} FROM given`;
  await tx.accessRequest.deleteMany({ where: { userId, namespaceId: groupId } });
  const event = { action: 'member_created', place: { groupId }, target: { type: 'User', id: userId } } as const;
  if (given > 0) await audit(tx, BY_SERVER, { ...event, attribute: 'access_level', to: level });
}

async function change(tx: Transaction, held: Held, level: number): Promise<void> {
  await lockAccess(tx, placeOf(held), held.userId);
  if (level < OWNER && (await isLastOwner(tx, placeOf(held), memberOf(held)))) return;
  await tx.$executeRaw(sql`UPDATE members SET access_level = ${level} WHERE id = ${held.memberId}`);
  const { groupId, userId, accessLevel: from } = held;
  const event = { action: 'member_updated', place: { groupId }, target: { type: 'User', id: userId } } as const;
  await audit(tx, BY_SERVER, { ...event, attribute: 'access_level', from, to: level });
}

async function end(tx: Transaction, held: Held): Promise<void> {
  await lockAccess(tx, placeOf(held), held.userId);
  if (await isLastOwner(tx, placeOf(held), memberOf(held))) return;
  await tx.member.deleteMany({ where: { id: held.memberId } });
  await audit(tx, BY_SERVER, endOf({ ...held, projectId: null }, 'member_deleted'));
}

function placeOf({ groupId }: Held) {
  return { kind: 'group', record: { id: groupId } } as const;
}

function memberOf({ memberId, accessLevel }: Held) {
  return { id: memberId, accessLevel };
}
