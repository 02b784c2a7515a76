import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { type MergeRequestFilter, mergeRequestConditions } from '#src/domain/tracking/merge_requests/filter.ts';
import { type MergeRequestOrder, orderOf } from '#src/domain/tracking/merge_requests/list.ts';
import { searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { all, Prisma, pageJson, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table, whole } from '#src/platform/records/alias.ts';
import { between, slice, sorted } from '#src/platform/records/order.ts';
import { ofEach } from '#src/platform/records/parents.ts';
import { inOrder } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql, join } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/** Maximum number of merge requests per project that are merged and sorted; beyond that all of them are. */
const FAR = 1_000;

/**
 * The merge requests of all projects that the actor can see, or of those in a group and its subgroups, in one statement. Throws
 * Unauthenticated, BadRequest.
 */
export async function listSeenMergeRequests<R>(
  context: Context,
  group: GroupRow | null,
  filter: MergeRequestFilter,
  order: MergeRequestOrder,
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const inGroup = group ? sql`n.lineage @> ARRAY[${group.id}]::int[]` : sql`TRUE`;
  const isWanted = filter.nonArchived ? sql`NOT p.archived` : sql`TRUE`;
  const places = seenPlaces(actor, sql`p.merge_requests_enabled AND ${inGroup} AND ${isWanted}`);
  const conditions = mergeRequestConditions(mergeRequest, filter, actor, null);
  const source = namesPerson(filter) ? ofPeople(conditions) : ofPlaces(conditions);
  const columns = orderOf(order);
  const rest = slice(mergeRequest, columns, page);
  const from = sql`SELECT ${whole(mergeRequest)} FROM (SELECT ${mergeRequest.id} FROM ${source.paged(columns, page)} ${rest}) page
    JOIN ${table(mergeRequest)} ON ${mergeRequest.id} = page.id`;
  const nodes = rowsJson(selection, { from, params: { actor }, ...inOrder(columns, page) });
  const list = pageJson(nodes, page.withTotal && sql`(SELECT count(*) FROM ${source.everything})`);
  const common = [places, ...searchHits(searchOf(filter), 'merge_requests')];
  const [found] = await readPages<R>(
    context.db,
    page,
    ofEach([{}], {}, () => list, common),
  );
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}

type Columns = ReturnType<typeof orderOf>;

interface Source {
  everything: Prisma.Sql;
  /** What the page is cut from, under the alias of merge requests. */
  paged(columns: Columns, page: PageRequest): Prisma.Sql;
}

/** Those of the subquery `places`, reading each place in turn, by index. */
function ofPlaces(conditions: Prisma.Sql[]): Source {
  const isThere = all([sql`v.merge_requests`, sql`${mergeRequest.targetProjectId} = v.id`, ...conditions]);
  const ofEachPlace = (wanted: Prisma.Sql, rest: Prisma.Sql) =>
    sql`places v CROSS JOIN LATERAL (SELECT ${wanted} FROM ${table(mergeRequest)} WHERE ${isThere} ${rest}) mr`;
  return {
    everything: ofEachPlace(mergeRequest.id, sql`OFFSET 0`),
    paged(columns, page) {
      const more = all([sql`TRUE`, ...between(mergeRequest, columns, page)]);
      const keys = join(columns.by.map((column) => mergeRequest[column]));
      const reach = page.limit + page.offset + 1;
      // From each place as many as the page may need, in order.
      const firsts = sql`ORDER BY ${sorted(mergeRequest, columns, page.isBackwards)} LIMIT ${reach}`;
      return ofEachPlace(keys, sql`AND ${more} ${reach > FAR ? sql`OFFSET 0` : firsts}`);
    },
  };
}

/** Those of a person, who has few of them, as far as they are in the subquery `places`. */
function ofPeople(conditions: Prisma.Sql[]): Source {
  const seen = [within(mergeRequest.targetProjectId, 'merge_requests'), ...conditions];
  const everything = sql`${table(mergeRequest)} WHERE ${all(seen)}`;
  return {
    everything,
    paged: (columns, page) =>
      sql`${table(mergeRequest)} WHERE ${all([...seen, ...between(mergeRequest, columns, page)])}`,
  };
}

function namesPerson(filter: MergeRequestFilter): boolean {
  const { scope, authorId, authorUsername, assigneeId, assigneeUsername, mergeUserId, mergeUserUsername } = filter;
  const isScoped = scope === 'created_by_me' || scope === 'assigned_to_me';
  const isNamed = !!authorUsername || !!assigneeUsername || !!mergeUserUsername;
  return isScoped || isNamed || authorId != null || typeof assigneeId === 'number' || mergeUserId != null;
}
