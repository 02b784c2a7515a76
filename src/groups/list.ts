import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { groupVisible, live, memberNamespaces } from '#src/access/visibility.ts';
import { type GroupRow, groupRows } from '#src/groups/find.ts';
import { namespaceMatches } from '#src/namespaces/matching.ts';
import { all, Prisma, queryPage } from '#src/platform/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { between, order, slice } from '#src/platform/records/order.ts';

const { sql } = Prisma;
const namespace = alias('Namespace', 'n');

/** The filters of the group list (rest-api-v4.md, Groups and namespaces). */
export interface GroupFilter {
  /** Found anywhere in name or path, whatever its case. */
  search?: string | null | undefined;
  /** Only groups of which the actor is directly an owner; administrators too. */
  owned?: boolean | null | undefined;
  /** All that the actor sees, not just those of which the actor is a member. Administrators always get all. */
  allAvailable?: boolean | null | undefined;
  /** IDs of groups to leave out. */
  skipGroups?: readonly number[] | null | undefined;
}

export interface GroupOrder {
  by: 'name' | 'path';
  direction: Direction;
}

/** The groups of the actor, or all that the actor sees. */
export async function listGroups(
  context: Context,
  filter: GroupFilter,
  by: GroupOrder,
  page: PageRequest,
): Promise<Page<GroupRow>> {
  const actor = requireActor(context);
  return load(context, actor, [audience(actor, filter), ...groupConditions(filter)], by, page);
}

/** The groups directly inside a group that the actor sees, by name. */
export async function listSubgroups(context: Context, group: GroupRow, page: PageRequest): Promise<Page<GroupRow>> {
  const actor = requireActor(context);
  const conditions = [sql`n.parent_id = ${group.id}`, groupVisible(actor, namespace)];
  return load(context, actor, conditions, { by: 'name', direction: 'asc' }, page);
}

async function load(
  { db }: Context,
  actor: Actor,
  conditions: Prisma.Sql[],
  { by, direction }: GroupOrder,
  page: PageRequest,
): Promise<Page<GroupRow>> {
  // In the words of the indexes over names and paths of groups.
  const source = sql`namespaces n WHERE n.kind = 'group' AND n.deleted_at IS NULL AND ${all(conditions)}`;
  const columns = order('Namespace', [by, 'id'], direction);
  const ids = sql`SELECT n.id FROM ${source} AND ${all(between(namespace, columns, page))} ${slice(namespace, columns, page)}`;
  const total = page.withTotal && sql`(SELECT count(*) FROM ${source})`;
  return queryPage(db, page, groupRows(actor, ids, columns), total);
}

/** Whose groups: `owned` goes before everything, and administrators need not ask for all. */
function audience(actor: Actor, { owned, allAvailable }: GroupFilter): Prisma.Sql {
  if (owned) {
    return sql`n.id IN (SELECT m.namespace_id FROM members m WHERE m.user_id = ${actor.id} AND m.access_level = 50 AND ${live('m')})`;
  }
  if (actor.admin || allAvailable) return groupVisible(actor, namespace);
  return sql`n.lineage && ${memberNamespaces(actor)}`;
}

function groupConditions({ search, skipGroups }: GroupFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (skipGroups?.length) conditions.push(sql`NOT n.id = ANY(${[...skipGroups]}::int[])`);
  if (search?.trim()) conditions.push(namespaceMatches(search.trim()));
  return conditions;
}
