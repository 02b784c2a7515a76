import { activeUser } from '#src/access/credentials/authenticate.ts';
import { MASTER, OWNER } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { insertMember } from '#src/domain/members/add.ts';
import { mayBeMember } from '#src/domain/members/may_be_member.ts';
import { lockAccess, type Source } from '#src/domain/members/source.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ImportSourceMembership } from '#src/generated/prisma/client.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

/** Memberships that one statement reads. */
const BATCH_SIZE = 500;

/** To whom memberships are given, and who has seen to that. */
interface Receiver {
  accountId: number;
  /** Who assigned the placeholder; null for an account that is gone. */
  assignedById: number | null;
}

/**
 * Gives the memberships that imports kept for the user of a source to an account that has taken the placeholder over: each with no more
 * than its importer has now, and unless the account has as much already. What the importer may not give any more, and what nobody can
 * give to the account, is dropped.
 */
export async function giveMemberships(
  context: Omit<Context, 'actor'>,
  sourceUserId: number,
  receiver: Receiver,
): Promise<void> {
  const { db } = context;
  const assigner = receiver.assignedById === null ? null : await activeUser(db, receiver.assignedById);
  for (let last = 0; ; ) {
    const some = await db.importSourceMembership.findMany({
      where: { sourceUserId, id: { gt: last } },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
    });
    for (const one of some) await giveMembership({ ...context, actor: assigner }, one, receiver.accountId);
    last = some.at(-1)?.id ?? last;
    if (some.length < BATCH_SIZE) return;
  }
}

async function giveMembership(context: Context, kept: ImportSourceMembership, accountId: number): Promise<void> {
  const importer = kept.importerId === null ? null : await activeUser(context.db, kept.importerId);
  const source = importer && (await sourceOf({ ...context, actor: importer }, kept));
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.importSourceMembership.deleteMany({ where: { id: kept.id } });
    if (count === 0 || !importer || !source) return;
    const level = Math.min(kept.accessLevel, mostOf(importer, source));
    await lockAccess(tx, source, accountId);
    if (level > 0 && (await mayGive(tx, source, { ...kept, accessLevel: level }, accountId))) {
      const { id } = source.record;
      await tx.member.deleteMany({
        where: { userId: accountId, ...(source.kind === 'project' ? { projectId: id } : { namespaceId: id }) },
      });
      const expiresAt = kept.expiresAt?.toISOString().slice(0, 10) ?? null;
      await insertMember(tx, context, source, {
        ...{ userId: accountId, accessLevel: level, expiresAt },
        givenById: importer.id,
      });
    }
  });
}

/** The project or group, as the importer sees it; null if it does not see it any more. */
async function sourceOf(
  asImporter: Context,
  { projectId, groupId }: Pick<ImportSourceMembership, 'projectId' | 'groupId'>,
): Promise<Source | null> {
  try {
    if (projectId !== null) return { kind: 'project', record: await findProject(asImporter, projectId) };
    return { kind: 'group', record: await findGroup(asImporter, groupId ?? 0) };
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** The level of the importer, as far as members can have it; 0 for none. */
function mostOf(importer: Actor, { kind, record }: Source): number {
  const most = kind === 'project' ? MASTER : OWNER;
  return importer.admin ? most : Math.min(most, record.accessLevel);
}

/**
 * Whether a membership gives an account more than it has: not where it has that level by any other, and not where it has a membership of
 * the same place that lasts longer. What was moved out of the namespace, whose owners assign the placeholder, has other owners.
 */
async function mayGive(
  tx: Transaction,
  source: Source,
  { sourceUserId, accessLevel, expiresAt }: Pick<ImportSourceMembership, 'sourceUserId' | 'accessLevel' | 'expiresAt'>,
  accountId: number,
): Promise<boolean> {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return false;
  const { id } = source.record;
  const lineage =
    source.kind === 'project'
      ? sql`(SELECT n.lineage FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ${id})`
      : sql`(SELECT n.lineage FROM namespaces n WHERE n.id = ${id})`;
  const isHere = source.kind === 'project' ? sql`m.project_id = ${id}` : sql`m.namespace_id = ${id}`;
  const lastsLonger = sql`${expiresAt}::date IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > ${expiresAt}::date)`;
  const rows = await queryRows(
    tx,
    sql`SELECT 1 FROM ${table(user)} WHERE ${user.id} = ${accountId} AND ${user.state} = 'active' AND ${mayBeMember(user, source)}
      AND EXISTS (SELECT 1 FROM import_source_users s WHERE s.id = ${sourceUserId} AND s.namespace_id = (${lineage}::int[])[1])
      AND NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = ${accountId} AND ${notExpired('m')}
        AND (${isHere} OR m.namespace_id = ANY(${lineage}::int[]))
        AND (m.access_level >= ${accessLevel} OR (${isHere} AND ${lastsLonger})))`,
  );
  return rows.length > 0;
}
