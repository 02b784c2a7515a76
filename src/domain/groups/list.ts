import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { groupVisible, memberNamespaces, notExpired } from '#src/access/permissions/visibility.ts';
import { type GroupRow, isGroup } from '#src/domain/groups/find.ts';
import '#src/domain/groups/computed_fields.ts';
import { namespaceMatches } from '#src/domain/namespaces/matching.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, ofEach } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'n');

/** The filters of the group list (rest-api-v4.md, Groups and namespaces). */
export interface GroupFilter {
  /** Matches anywhere in name or path, ignoring case. */
  search?: string | null | undefined;
  /** Only groups of which the actor is a direct owner; also for administrators. */
  owned?: boolean | null | undefined;
  /** All groups that the actor can see, not just those with a membership. Administrators always get all. */
  allAvailable?: boolean | null | undefined;
  /** IDs of groups to leave out. */
  skipGroups?: readonly number[] | null | undefined;
}

export interface GroupOrder {
  by: 'name' | 'path';
  direction: Direction;
}

/** The groups of the actor, or all that the actor can see. Throws Unauthenticated. */
export async function listGroups<R>(
  context: Context,
  filter: GroupFilter,
  by: GroupOrder,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const where = all([isGroup(group), audience(actor, filter), ...groupConditions(filter)]);
  return readPage(context.db, selection, { rows: group, where, order: orderOf(by), params: { actor } }, page);
}

/** The direct subgroups of each group that the actor can see, by name, in one statement. */
export async function listSubgroups<R>(
  context: Context,
  groups: readonly GroupRow[],
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const pageOf = ({ parent }: Asked<{ parent: number }>) => {
    const where = all([sql`${group.parentId} = ${parent}`, isGroup(group), groupVisible(actor, group)]);
    return pageOfRows(selection, { rows: group, where, order: orderOf(BY_NAME), params: { actor } }, page);
  };
  const parents = groups.map(({ id }) => ({ parent: id }));
  return readPages(context.db, page, ofEach(parents, { parent: 'int' }, pageOf));
}

/** The groups in which each user has a direct membership, as far as the actor can see them, in one statement. */
export async function listGroupsOfUsers<R>(
  context: Context,
  userIds: readonly number[],
  filter: Pick<GroupFilter, 'search'>,
  by: GroupOrder,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const pageOf = ({ member }: Asked<{ member: number }>) => {
    const ofUser = sql`${group.id} IN (SELECT m.namespace_id FROM members m WHERE m.user_id = ${member} AND ${notExpired('m')})`;
    const where = all([ofUser, isGroup(group), groupVisible(actor, group), ...groupConditions(filter)]);
    return pageOfRows(selection, { rows: group, where, order: orderOf(by), params: { actor } }, page);
  };
  const parents = userIds.map((member) => ({ member }));
  return readPages(context.db, page, ofEach(parents, { member: 'int' }, pageOf));
}

const BY_NAME: GroupOrder = { by: 'name', direction: 'asc' };

function orderOf({ by, direction }: GroupOrder): Order<'Namespace'> {
  return order('Namespace', [by, 'id'], direction);
}

/** Which groups: `owned` takes precedence, and administrators get all without asking. */
function audience(actor: Actor, { owned, allAvailable }: GroupFilter): Prisma.Sql {
  if (owned) {
    return sql`n.id IN (SELECT m.namespace_id FROM members m WHERE m.user_id = ${actor.id} AND m.access_level = 50 AND ${notExpired('m')})`;
  }
  if (actor.admin || allAvailable) return groupVisible(actor, group);
  return sql`n.lineage && ${memberNamespaces(actor)}`;
}

function groupConditions({ search, skipGroups }: GroupFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (skipGroups?.length) conditions.push(sql`NOT n.id = ANY(${[...skipGroups]}::int[])`);
  if (search?.trim()) conditions.push(namespaceMatches(search.trim()));
  return conditions;
}
