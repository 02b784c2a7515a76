import { DEVELOPER, MASTER, OWNER, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { groupAccessLevel, groupVisible, memberNamespaces, notExpired } from '#src/access/permissions/visibility.ts';
import { hasCustomAttributes } from '#src/domain/administration/custom_attributes.ts';
import { type GroupRow, isGroup } from '#src/domain/groups/find.ts';
import '#src/domain/groups/computed_fields.ts';
import { namespaceMatches } from '#src/domain/namespaces/matching.ts';
import { activityVisible } from '#src/domain/users/private_profile.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { type OrderedRows, pageOfRows, readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'n');

/** The filters of lists of groups. */
export interface GroupFilter {
  /** Matches anywhere in name or path, ignoring case. */
  search?: string | null | undefined;
  /** IDs of groups to leave out. */
  skipGroups?: readonly number[] | null | undefined;
  visibility?: Visibility | null | undefined;
  /** Only groups in which the actor has at least this effective level; also for administrators. */
  minAccessLevel?: number | null | undefined;
  /** Only groups without a parent. */
  topLevelOnly?: boolean | null | undefined;
  /** Only those that are in use, or only those that are not; groups are never archived. */
  active?: boolean | null | undefined;
  archived?: boolean | null | undefined;
  /** Only groups in which the actor may create projects. */
  canCreateProject?: boolean | null | undefined;
  /** Those with all of these custom attributes, values by their keys; ignored unless the actor is an administrator. */
  customAttributes?: unknown;
}

/** The filters of the list of all groups (rest-api-v4.md, Groups and namespaces). */
export interface AllGroupsFilter extends GroupFilter {
  /** Only groups of which the actor is an owner, directly or by a group around; also for administrators. */
  owned?: boolean | null | undefined;
  /** All groups that the actor can see, not just those with a membership. Administrators always get all. */
  allAvailable?: boolean | null | undefined;
}

export interface GroupOrder {
  /** By similarity of the name to the text searched for, or by name if none is. */
  by: 'name' | 'path' | 'id' | 'similarity';
  direction: Direction;
}

/** The groups of the actor, or all that the actor can see. Throws InsufficientScope. */
export async function listGroups<R>(
  context: Context,
  filter: AllGroupsFilter,
  by: GroupOrder,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const where = all([isGroup(group), audience(actor, filter), ...groupConditions(actor, filter)]);
  return readPage(context.db, selection, listed(actor, where, filter, by), page);
}

/** How groups are listed for a group: those directly in it, those on all levels below, and those that are shared with it. */
const RELATED = {
  children: (id: Prisma.Sql | number) => sql`${group.parentId} = ${id}`,
  descendants: (id: Prisma.Sql | number) => sql`${group.lineage} @> ARRAY[${id}]::int[] AND ${group.id} <> ${id}`,
  shared: (id: Prisma.Sql | number) =>
    sql`${group.id} IN (SELECT s.namespace_id FROM group_shares s WHERE s.group_id = ${id} AND ${notExpired('s')})`,
} as const;

/** The groups below each group, or shared with it, as far as the actor can see them, in one statement. */
export async function listRelatedGroups<R>(
  context: Context,
  groups: readonly GroupRow[],
  relation: keyof typeof RELATED,
  { filter, by }: { filter: GroupFilter; by: GroupOrder },
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const conditions = [isGroup(group), groupVisible(actor, group), ...groupConditions(actor, filter)];
  const pageOf = ({ parent }: Asked<{ parent: number }>) =>
    pageOfRows(selection, listed(actor, all([RELATED[relation](parent), ...conditions]), filter, by), page);
  const parents = groups.map(({ id }) => ({ parent: id }));
  return readPages(context.db, page, perParent(parents, { parent: 'int' }, pageOf));
}

/** The groups in which each user has a direct membership, as far as the actor can see them, in one statement. */
export async function listGroupsOfUsers<R>(
  context: Context,
  userIds: readonly number[],
  filter: Pick<GroupFilter, 'search' | 'canCreateProject'>,
  by: GroupOrder,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const pageOf = ({ member }: Asked<{ member: number }>) => {
    const ofUser = sql`${group.id} IN (SELECT m.namespace_id FROM members m WHERE m.user_id = ${member} AND ${notExpired('m')})`;
    const seen = activityVisible(actor, sql`${member}`);
    const where = all([seen, ofUser, isGroup(group), groupVisible(actor, group), ...groupConditions(actor, filter)]);
    return pageOfRows(selection, listed(actor, where, filter, by), page);
  };
  const parents = userIds.map((member) => ({ member }));
  return readPages(context.db, page, perParent(parents, { member: 'int' }, pageOf));
}

/** The groups that meet a condition, in their order. */
function listed(
  actor: Actor | null,
  where: Prisma.Sql,
  { search }: GroupFilter,
  { by, direction }: GroupOrder,
): OrderedRows<'Namespace'> {
  const rows = { rows: group, where, params: { actor } };
  const text = search?.trim();
  if (by !== 'similarity' || !text) return { ...rows, order: orderOf(by, direction) };
  const likeness = sql`(similarity(n.name, ${text}) * 1000000)::bigint`;
  const from = sql`(SELECT n.*, ${likeness} AS sort_key FROM namespaces n) n`;
  return { ...rows, from, order: order('Namespace', ['id'], direction, { isKeyed: true }) };
}

function orderOf(by: GroupOrder['by'], direction: Direction): Order<'Namespace'> {
  if (by === 'id') return order('Namespace', ['id'], direction);
  return order('Namespace', [by === 'similarity' ? 'name' : by, 'id'], direction);
}

/** Which groups: `owned` takes precedence, and administrators get all without asking. */
function audience(actor: Actor | null, { owned, allAvailable }: AllGroupsFilter): Prisma.Sql {
  if (owned) return atLeast(actor, OWNER);
  if (!actor || actor.admin || allAvailable) return groupVisible(actor, group);
  return sql`n.lineage && ${memberNamespaces(actor)}`;
}

/** Whether the actor has an effective level in a group: those with none are not even looked at. */
function atLeast(actor: Actor | null, level: number): Prisma.Sql {
  if (!actor) return sql`FALSE`;
  return sql`n.lineage && ${memberNamespaces(actor)} AND ${groupAccessLevel(actor, group)} >= ${level}`;
}

/** Whether the actor may create projects in a group. */
function takesProjects(actor: Actor | null): Prisma.Sql {
  if (!actor) return sql`FALSE`;
  if (actor.admin) return sql`${group.projectCreationLevel} <> 'noone'`;
  return sql`${groupAccessLevel(actor, group)} >= CASE ${group.projectCreationLevel}
    WHEN 'developer' THEN ${DEVELOPER}::int WHEN 'maintainer' THEN ${MASTER}::int WHEN 'owner' THEN ${OWNER}::int END`;
}

function groupConditions(
  actor: Actor | null,
  { search, skipGroups, visibility, minAccessLevel, topLevelOnly, active, archived, ...filter }: GroupFilter,
): Prisma.Sql[] {
  const conditions = hasCustomAttributes(actor, 'namespaceId', group.id, filter.customAttributes);
  if (visibility) conditions.push(sql`${group.visibility} = ${visibility}::visibility`);
  if (minAccessLevel != null) conditions.push(atLeast(actor, minAccessLevel));
  if (topLevelOnly) conditions.push(sql`${group.parentId} IS NULL`);
  if (active === false || archived) conditions.push(sql`FALSE`);
  if (skipGroups?.length) conditions.push(sql`NOT n.id = ANY(${[...skipGroups]}::int[])`);
  if (filter.canCreateProject) conditions.push(takesProjects(actor));
  if (search?.trim()) conditions.push(namespaceMatches(search.trim()));
  return conditions;
}
