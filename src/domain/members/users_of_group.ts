import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces } from '#src/access/permissions/places.ts';
import { groupVisible, notExpired } from '#src/access/permissions/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { userMatches } from '#src/domain/users/matching.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [user, group] = [alias('User', 'u'), alias('Namespace', 'g')];
const NEWEST_FIRST = order('User', ['id'], 'desc');

/**
 * The members of a group, of the groups around and inside it, and of projects in these, who match a text as in userMatches; newest
 * first. Only memberships of groups and projects that the actor can see count.
 */
export async function searchGroupUsers<R>(
  context: Context,
  { id }: GroupRow,
  text: string,
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const groups = sql`SELECT g.id FROM ${table(group)} WHERE ${groupVisible(actor, group)}
    AND (${group.lineage} @> ARRAY[${id}]::int[] OR g.id = ANY((SELECT o.lineage FROM namespaces o WHERE o.id = ${id})::int[]))`;
  const members = sql`SELECT m.user_id FROM members m WHERE m.namespace_id = ANY(ARRAY(${groups})) AND ${notExpired('m')}
    UNION ALL SELECT m.user_id FROM members m WHERE m.project_id = ANY(ARRAY(SELECT v.id FROM places v)) AND ${notExpired('m')}`;
  const where = sql`${userMatches(user, actor, text)} AND ${user.id} IN (${members})`;
  const places = seenPlaces(actor, sql`n.lineage @> ARRAY[${id}]::int[]`);
  const list = () => pageOfRows(selection, { rows: user, where, order: NEWEST_FIRST }, page);
  const [found] = await readPages<R>(context.db, page, perParent([{}], {}, list, [places]));
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}
