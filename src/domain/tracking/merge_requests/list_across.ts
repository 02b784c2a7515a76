import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { directlyIn, inside } from '#src/domain/tracking/issues/list_across.ts';
import { countsJson, type MergeRequestCounts } from '#src/domain/tracking/merge_requests/count.ts';
import {
  type MergeRequestFilter,
  mergeRequestConditions,
  mergeRequestsWithLabels,
} from '#src/domain/tracking/merge_requests/filter.ts';
import { firstOfKeyed, type MergeRequestOrder, orderOf } from '#src/domain/tracking/merge_requests/list.ts';
import { lookedUp, namedLabels, searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { isKeyed, keyedPage } from '#src/domain/tracking/subjects/order.ts';
import { all, Prisma, pageJson, queryJson, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table, whole } from '#src/platform/records/alias.ts';
import { asFew, between, slice, sorted } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { counted, inOrder } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql, join } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');
const { targetProjectId } = mergeRequest;

/** Maximum number of merge requests per project that are merged and sorted; beyond that all of them are. */
const FAR = 1_000;

/** The whole server, a group with its subgroups, or a label or milestone of a group. */
export interface AcrossParent {
  group: GroupRow | null;
  labelId?: number;
  milestoneId?: number;
}

type ParentRow = { group: number | null; label: number | null; milestone: number | null };

/**
 * The merge requests of each parent, in all projects whose merge requests the actor can see, in one statement. Throws
 * InsufficientScope, BadRequest.
 *
 * @param parents of one kind
 * @param inSubgroups whether those in subgroups are among them
 */
export async function listMergeRequestsAcross<R>(
  context: Context,
  parents: readonly AcrossParent[],
  filter: MergeRequestFilter,
  order: MergeRequestOrder,
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
  { inSubgroups = true }: { inSubgroups?: boolean } = {},
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const columns = orderOf(order);
  const sourceOf = sourcesOf(actor, parents, filter, inSubgroups);
  const pageOf = (parent: Asked<ParentRow>) => {
    const source = sourceOf(parent);
    if (isKeyed(order.by)) {
      const list = { type: 'MergeRequest', row: mergeRequest, by: order.by, direction: order.direction } as const;
      const found = source.everything(firstOfKeyed);
      return keyedPage(selection, { ...list, found, total: null, params: { actor } }, page);
    }
    // Those that must all be counted are found once, for page and total.
    const isFound = page.withTotal && page.countUpTo === undefined;
    const found = sql`found mr WHERE ${all([sql`TRUE`, ...between(mergeRequest, columns, page)])}`;
    const among = isFound ? found : source.paged(columns, page);
    const ids = sql`SELECT ${mergeRequest.id} FROM ${among} ${slice(mergeRequest, columns, page)}`;
    const from = sql`SELECT ${whole(mergeRequest)} FROM (${asFew(ids, page)}) page
      CROSS JOIN LATERAL (SELECT ${whole(mergeRequest)} FROM ${table(mergeRequest)} WHERE ${mergeRequest.id} = page.id OFFSET 0) mr`;
    const nodes = rowsJson(selection, { from, params: { actor }, ...inOrder(columns, page) });
    const json = pageJson(
      nodes,
      page.withTotal && counted(isFound ? sql`found` : sql`(${source.everything(keysOf(columns))}) c`, page),
    );
    if (!isFound) return json;
    return sql`(WITH found AS MATERIALIZED (${source.everything(keysOf(columns))}) SELECT ${json})`;
  };
  const asked = parents.map(({ group, labelId = null, milestoneId = null }) => {
    return { group: group?.id ?? null, label: labelId, milestone: milestoneId };
  });
  const types = { group: 'int', label: 'int', milestone: 'int' } as const;
  const common = [placesOf(actor, parents, filter), ...searchHits(searchOf(filter), 'merge_requests')];
  return readPages<R>(context.db, page, perParent<ParentRow>(asked, types, pageOf, common));
}

/**
 * How many merge requests there are in each state in the projects of each group and its subgroups whose merge requests the actor can
 * see, in one statement. Throws InsufficientScope, BadRequest.
 */
export async function countMergeRequestsOfGroups(
  context: Context,
  groups: readonly GroupRow[],
  filter: Omit<MergeRequestFilter, 'state'>,
): Promise<MergeRequestCounts[]> {
  const actor = readerOf(context);
  const parents = groups.map((group) => ({ group }));
  const sourceOf = sourcesOf(actor, parents, filter, true);
  const countsOf = (parent: Asked<ParentRow>) =>
    sql`(SELECT ${countsJson(mergeRequest)} FROM (${sourceOf(parent).everything(mergeRequest.state)}) mr)`;
  const asked = groups.map(({ id }) => ({ group: id, label: null, milestone: null }));
  const types = { group: 'int', label: 'int', milestone: 'int' } as const;
  const common = [placesOf(actor, parents, filter), ...searchHits(searchOf(filter), 'merge_requests')];
  return queryJson<MergeRequestCounts[]>(context.db, perParent<ParentRow>(asked, types, countsOf, common));
}

/** The subquery `places`: the projects in the groups of the parents, or all, that the filter leaves. */
function placesOf(actor: Actor | null, parents: readonly AcrossParent[], filter: MergeRequestFilter): Prisma.Sql {
  const groups = [...new Set(parents.flatMap(({ group }) => group?.id ?? []))];
  const conditions = [
    ...(groups.length > 0 ? [sql`n.lineage && ${groups}::int[]`] : []),
    ...(filter.nonArchived ? [sql`NOT p.archived`] : []),
    sql`TRUE`,
  ];
  return seenPlaces(actor, all(conditions), 'mergeRequests');
}

type Columns = ReturnType<typeof orderOf>;

/** The columns that a list is ordered by. */
function keysOf({ by }: Columns): Prisma.Sql {
  return join(by.map((column) => mergeRequest[column]));
}

interface Source {
  /** A statement for these columns of all of them. */
  everything(wanted: Prisma.Sql): Prisma.Sql;
  /** What the page is cut from, under the alias of merge requests. */
  paged(columns: Columns, page: PageRequest): Prisma.Sql;
}

/** Where the merge requests of each parent are read from: by the index of what has few of them, or place by place. */
function sourcesOf(
  actor: Actor | null,
  parents: readonly AcrossParent[],
  filter: MergeRequestFilter,
  inSubgroups: boolean,
): (parent: Asked<ParentRow>) => Source {
  const isOfLabel = parents.some(({ labelId }) => labelId !== undefined);
  const isOfMilestone = parents.some(({ milestoneId }) => milestoneId !== undefined);
  const isOfGroups = parents.length > 1 && !isOfLabel && !isOfMilestone;
  const inGroup = (projectId: Prisma.Sql, group: Prisma.Sql | number | null) => {
    if (group === null || (inSubgroups && !isOfGroups)) return [];
    return [inSubgroups ? inside(projectId, group) : directlyIn(projectId, group)];
  };
  const labelled = (label: Asked<ParentRow>['label']) =>
    sql`${mergeRequest.id} IN (SELECT bl.merge_request_id FROM merge_request_labels bl WHERE bl.label_id = ${label})`;
  const conditions = mergeRequestConditions(mergeRequest, filter, actor, null);
  const ofAnyLabel = mergeRequestConditions(mergeRequest, { ...filter, labels: null }, actor, null);
  return ({ group, label, milestone }) => {
    if (!isOfLabel && !isOfMilestone && !namesPerson(filter)) {
      const titles = namedLabels(filter);
      if (titles.length > 0) return ofLabels(titles, [...inGroup(targetProjectId, group), ...ofAnyLabel]);
      if (!namesMilestone(filter)) return ofPlaces(conditions, inGroup(sql`v.id`, group));
    }
    return ofFew([
      ...(isOfLabel ? [labelled(label)] : []),
      ...(isOfMilestone ? [sql`${mergeRequest.milestoneId} = ${milestone}`] : []),
      ...inGroup(targetProjectId, group),
      ...conditions,
    ]);
  };
}

/** Those of the subquery `places`, as far as they are in the group, reading each place in turn, by index. */
function ofPlaces(conditions: Prisma.Sql[], inGroup: Prisma.Sql[]): Source {
  const isThere = all([sql`v.merge_requests`, ...inGroup, sql`${targetProjectId} = v.id`, ...conditions]);
  const ofEachPlace = (wanted: Prisma.Sql, rest: Prisma.Sql) =>
    sql`places v CROSS JOIN LATERAL (SELECT ${wanted} FROM ${table(mergeRequest)} WHERE ${isThere} ${rest}) mr`;
  return {
    everything: (wanted) => sql`SELECT ${whole(mergeRequest)} FROM ${ofEachPlace(wanted, sql`OFFSET 0`)}`,
    paged(columns, page) {
      const more = all([sql`TRUE`, ...between(mergeRequest, columns, page)]);
      const reach = page.limit + page.offset + 1;
      // From each place as many as the page may need, in order.
      const firsts = sql`ORDER BY ${sorted(mergeRequest, columns, page.isBackwards)} LIMIT ${reach}`;
      return ofEachPlace(keysOf(columns), sql`AND ${more} ${reach > FAR ? sql`OFFSET 0` : firsts}`);
    },
  };
}

/** Those with labels of all these titles that meet the conditions, as far as they are in the subquery `places`, each by its key. */
function ofLabels(titles: readonly string[], conditions: Prisma.Sql[]): Source {
  const seen = [within(targetProjectId, 'merge_requests'), ...conditions.map(lookedUp)];
  const labelled = mergeRequestsWithLabels(titles);
  const ofEachOf = (wanted: Prisma.Sql, conditions: Prisma.Sql[]) => sql`(${labelled}) labelled
    CROSS JOIN LATERAL (SELECT ${wanted} FROM ${table(mergeRequest)}
      WHERE ${all([sql`${mergeRequest.id} = labelled.id`, ...conditions])} OFFSET 0) mr`;
  return {
    everything: (wanted) => sql`SELECT ${whole(mergeRequest)} FROM ${ofEachOf(wanted, seen)}`,
    paged: (columns, page) => ofEachOf(keysOf(columns), [...seen, ...between(mergeRequest, columns, page)]),
  };
}

/** Those that meet the conditions, which are few, such as those of a person, as far as they are in the subquery `places`. */
function ofFew(conditions: Prisma.Sql[]): Source {
  const seen = [within(targetProjectId, 'merge_requests'), ...conditions];
  return {
    everything: (wanted) => sql`SELECT ${wanted} FROM ${table(mergeRequest)} WHERE ${all(seen)}`,
    paged: (columns, page) =>
      sql`${table(mergeRequest)} WHERE ${all([...seen, ...between(mergeRequest, columns, page)])}`,
  };
}

/** Whether a filter names somebody who wrote, does, reviews or merged what is wanted; such are found by an index of their own. */
function namesPerson(filter: MergeRequestFilter): boolean {
  const { scope, authorId, assigneeId, reviewerId, mergeUserId, reviewerUsername } = filter;
  const isScoped = scope != null && scope !== 'all';
  const isReviewer = typeof reviewerId === 'number' || (!!reviewerUsername && !/^(none|any)$/i.test(reviewerUsername));
  const isNamed =
    !!filter.authorUsername ||
    !!filter.assigneeUsernames?.length ||
    !!filter.assigneeUsername ||
    !!filter.mergeUserUsername;
  return isScoped || isReviewer || isNamed || authorId != null || typeof assigneeId === 'number' || mergeUserId != null;
}

/** Whether a filter names a milestone, whose merge requests are found by an index, too. */
function namesMilestone({ milestone }: MergeRequestFilter): boolean {
  return !!milestone && !/^(none|no milestone|any|#upcoming|#started)$/i.test(milestone);
}
