import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { groupVisible, membershipsAt, membershipsBelow, notExpired } from '#src/access/permissions/visibility.ts';
import { listOfSources } from '#src/domain/members/below.ts';
import { authorizeReading, ofSource, passes, type Source, type SourceOf } from '#src/domain/members/source.ts';
import { userMatches } from '#src/domain/users/matching.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, onlyOne, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPermitted, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [member, user] = [alias('Member', 'm'), alias('User', 'u')];
const BY_USER = order('Member', ['userId'], 'desc');

/** Identifies a changed direct membership, for reading it back. */
export interface ChangedMember {
  source: Source;
  userId: number;
}

/** Which members of a project or group. */
export interface MemberFilter {
  /** As in userMatches. */
  search?: string | null | undefined;
  /** Only these users. */
  userIds?: readonly number[] | null | undefined;
  /** Not these users. */
  skipUsers?: readonly number[] | null | undefined;
  /** Also those who have access by a group around it, or by a share: each user once, with the highest level. */
  includeInherited?: boolean | null | undefined;
  /** Also those of the groups below a group that the actor sees, each user once likewise. */
  includeDescendants?: boolean | null | undefined;
}

/**
 * The members of projects, or of groups, newest users first, in one statement; without expired ones. Forbidden in place of those
 * whose members the actor may not read.
 */
export async function listMembers<R>(
  context: Context,
  sources: readonly Source[],
  { search, userIds, skipUsers, includeInherited, includeDescendants }: MemberFilter,
  page: PageRequest,
  selection: Selection<'Member', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const isDirect = !includeInherited && !includeDescendants;
  const conditions: Prisma.Sql[] = isDirect ? [notExpired('m')] : [];
  if (userIds) conditions.push(sql`${member.userId} = ANY(${[...userIds]}::int[])`);
  if (skipUsers?.length) conditions.push(sql`NOT ${member.userId} = ANY(${[...skipUsers]}::int[])`);
  if (search?.trim()) {
    const found = sql`SELECT ${user.id} FROM ${table(user)} WHERE ${userMatches(user, actor, search.trim())}`;
    conditions.push(sql`${member.userId} IN (${found})`);
  }
  const where = all([sql`TRUE`, ...conditions]);
  return forPermittedParents(
    sources,
    (source) => authorizeReading(actor, source),
    (permitted) => {
      if (isDirect) {
        return listOfSources(context, permitted, { rows: member, where, order: BY_USER }, page, selection);
      }
      const { kind } = permitted[0] as Source;
      const pageOf = (place: Asked<Placed>) => {
        const around = includeInherited ? [inherited(actor, kind, place)] : [];
        const below = includeDescendants ? [membershipsBelow(actor, place.id)] : [];
        const from = highest([...around, ...below]);
        return pageOfRows(selection, { rows: member, from, where, order: BY_USER }, page);
      };
      const types = { id: 'int', namespace: 'int', isMember: 'boolean' } as const;
      return readPages<R>(context.db, page, perParent(permitted.map(placed), types, pageOf));
    },
  );
}

/** The direct member with that user ID, or whoever has access for whatever reason. Throws NotFound. */
export async function findMember<R>(
  context: Context,
  source: Source,
  userId: number,
  selection: Selection<'Member', R>,
  { includeInherited = false }: { includeInherited?: boolean } = {},
): Promise<R> {
  if (!includeInherited) {
    authorizeReading(readerOf(context), source);
    return one(context, { source, userId }, selection, notExpired('m'));
  }
  const filter = { userIds: [userId], includeInherited };
  const { nodes } = onlyOne(await listMembers(context, [source], filter, ONE, selection));
  const [found] = nodes;
  if (!found) throw new NotFound('Member');
  return found;
}

const ONE: PageRequest = { limit: 1, offset: 0, withTotal: false };

/** What is known of a source before its members are read. */
type Placed = { id: number; namespace: number; isMember: boolean };

function placed(source: Source): Placed {
  const { record } = source;
  const namespace = source.kind === 'project' ? source.record.namespaceId : record.id;
  return { id: record.id, namespace, isMember: record.accessLevel > 0 };
}

/**
 * All memberships that give access to a place. Those of private groups with which something is shared are shown to members of the place,
 * and to those who see these groups.
 */
function inherited(actor: Actor | null, kind: Source['kind'], { id, namespace, isMember }: Asked<Placed>): Prisma.Sql {
  const lineage = sql`(SELECT sn.lineage FROM namespaces sn WHERE sn.id = ${namespace})::int[]`;
  const seen = sql`(${isMember} OR ${groupVisible(actor, alias('Namespace', 'g'))})`;
  return membershipsAt(kind === 'project' ? sql`${id}` : null, lineage, { seen });
}

/** The membership of each user that gives the highest level, of those of several statements. */
function highest(statements: readonly Prisma.Sql[]): Prisma.Sql {
  const memberships = Prisma.join([...statements], ' UNION ALL ');
  return sql`(SELECT DISTINCT ON (m.user_id) m.* FROM (${memberships}) m
    ORDER BY m.user_id, m.access_level DESC, m.expires_at DESC, m.id) m`;
}

/** The membership as it is stored, even if expired: for reading back after a change. Throws NotFound. */
export async function changedMember<R>(
  context: Pick<Context, 'db'>,
  changed: ChangedMember,
  selection: Selection<'Member', R>,
): Promise<R> {
  return one(context, changed, selection);
}

/** Like changedMember, for many users of one project or group, in their order; null for those who are no members. */
export async function changedMembers<R>(
  { db }: Pick<Context, 'db'>,
  source: Source,
  userIds: readonly number[],
  selection: Selection<'Member', R>,
): Promise<(R | null)[]> {
  const where = sql`${ofSource(source, 'm')} AND ${member.userId} = ANY(${[...userIds]}::int[])`;
  const wanted = USER.with(selection) as Selection<'Member', R & typeof USER.row>;
  const found = await readRows(db, wanted, { rows: member, where });
  const byUser = new Map(found.map((row) => [row.userId, row]));
  return userIds.map((id) => byUser.get(id) ?? null);
}

const USER = select('Member', { userId: true });

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

const OF_SOURCE = select('Member', { id: true, projectId: true, namespaceId: true });

/**
 * The direct memberships with these IDs that the actor may read, without expired ones, in one statement.
 *
 * @param sourceOf finds the project or group if the actor can see it, null for others
 */
export function findMembersByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Member', R>,
  sourceOf: SourceOf,
): Promise<(R & { id: number })[]> {
  const actor = readerOf(context);
  const list = { rows: member, ids, keys: OF_SOURCE, only: notExpired('m') };
  return readPermitted(context.db, selection, list, async ({ projectId, namespaceId }) => {
    const source = await sourceOf({ projectId, groupId: namespaceId });
    return source !== null && passes(authorizeReading, actor, source);
  });
}
