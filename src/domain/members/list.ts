import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { listOfSources } from '#src/domain/members/below.ts';
import { authorizeReading, ofSource, type Source } from '#src/domain/members/source.ts';
import { userMatches } from '#src/domain/users/matching.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { ofPermitted } from '#src/platform/records/parents.ts';
import { readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [member, user] = [alias('Member', 'm'), alias('User', 'u')];

/** Identifies a changed direct membership, for reading it back. */
export interface ChangedMember {
  source: Source;
  userId: number;
}

/**
 * The direct members of projects, or of groups, newest users first, in one statement; without expired ones. `search` works as in
 * userMatches. Forbidden in place of those whose members the actor may not read.
 */
export async function listMembers<R>(
  context: Context,
  sources: readonly Source[],
  { search }: { search?: string | null | undefined },
  page: PageRequest,
  selection: Selection<'Member', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const conditions = [notExpired('m')];
  if (search?.trim()) {
    const found = sql`SELECT ${user.id} FROM ${table(user)} WHERE ${userMatches(user, actor, search.trim())}`;
    conditions.push(sql`${member.userId} IN (${found})`);
  }
  const list = { rows: member, where: all(conditions), order: order('Member', ['userId'], 'desc') };
  return ofPermitted(
    sources,
    (source) => authorizeReading(actor, source),
    (permitted) => listOfSources(context, permitted, list, page, selection),
  );
}

/** The direct member with that user ID. Throws NotFound. */
export async function findMember<R>(
  context: Context,
  source: Source,
  userId: number,
  selection: Selection<'Member', R>,
): Promise<R> {
  authorizeReading(requireActor(context), source);
  return one(context, { source, userId }, selection, notExpired('m'));
}

/** The membership as it is stored, even if expired: for reading back after a change. Throws NotFound. */
export async function changedMember<R>(
  context: Pick<Context, 'db'>,
  changed: ChangedMember,
  selection: Selection<'Member', R>,
): Promise<R> {
  return one(context, changed, selection);
}

/** What commands read of a membership that they change. */
const CHANGEABLE = select('Member', { id: true, userId: true, accessLevel: true, expiresAt: true });

export type ChangeableMember = typeof CHANGEABLE.row;

export function memberToChange(context: Context, source: Source, userId: number): Promise<ChangeableMember> {
  return findMember(context, source, userId, CHANGEABLE);
}

async function one<R>(
  { db }: Pick<Context, 'db'>,
  { source, userId }: ChangedMember,
  selection: Selection<'Member', R>,
  condition: Prisma.Sql = sql`TRUE`,
): Promise<R> {
  const where = sql`${ofSource(source, 'm')} AND ${member.userId} = ${userId} AND ${condition}`;
  const found = await readRow(db, selection, { rows: member, where });
  if (!found) throw new NotFound('Member');
  return found;
}
