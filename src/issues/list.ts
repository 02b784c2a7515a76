import { can } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { seenPlaces, within } from '#src/access/places.ts';
import { issueVisible } from '#src/access/visibility.ts';
import type { GroupRow } from '#src/groups/find.ts';
import { countsSuffice, type IssueFilter, issueConditions, searchHits } from '#src/issues/filter.ts';
import { type IssueRow, issueRows } from '#src/issues/rows.ts';
import { all, Prisma, queryPage } from '#src/platform/db.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

export interface IssueOrder {
  by: 'created_at' | 'updated_at';
  direction: Direction;
}

/** The issues of a project that the actor sees; none when the project has no issues switched on. */
export async function listProjectIssues(
  context: Context,
  project: ProjectRow,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  extra: Prisma.Sql[] = [],
): Promise<Page<IssueRow>> {
  const actor = requireActor(context);
  if (!project.issuesEnabled) return { nodes: [], offset: page.offset, total: 0 };
  const seesAll = can(actor, 'read_confidential_issue', project);
  const conditions = [
    sql`i.project_id = ${project.id}`,
    issueVisible(issue, actor, seesAll),
    ...issueConditions(filter, sql`l.project_id = ${project.id}`),
    ...extra,
  ];
  const source = sql`issues i WHERE ${all(conditions)}`;
  const counted = countsSuffice(filter) && extra.length === 0;
  const total = counted ? countFromCounters(actor, project.id, filter, seesAll) : null;
  return load(context, { source, total, common: searchHits(filter) }, order, page);
}

/** The issues of a milestone that the actor sees, in the order in which they came. */
export async function listMilestoneIssues(
  context: Context,
  project: ProjectRow,
  milestoneId: number,
  page: PageRequest,
): Promise<Page<IssueRow>> {
  const order: IssueOrder = { by: 'created_at', direction: 'asc' };
  return listProjectIssues(context, project, {}, order, page, [sql`i.milestone_id = ${milestoneId}`]);
}

/** The issues that a user wrote, as far as the actor sees them. */
export async function listAuthoredIssues(
  context: Context,
  authorId: number,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Promise<Page<IssueRow>> {
  const actor = requireActor(context);
  const conditions = [
    sql`i.author_id = ${authorId}`,
    within('i', 'issues'),
    issueVisible(issue, actor, within('i', 'confidential')),
    ...issueConditions(filter, sql`l.project_id IN (SELECT v.id FROM places v)`),
  ];
  const source = sql`issues i WHERE ${all(conditions)}`;
  const common = [seenPlaces(actor), ...searchHits(filter)];
  return load(context, { source, total: null, common }, order, page);
}

/** The issues of all projects in a group and its subgroups that the actor sees. */
export async function listGroupIssues(
  context: Context,
  group: GroupRow,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Promise<Page<IssueRow>> {
  const actor = requireActor(context);
  const inGroup = sql`p.issues_enabled AND n.lineage @> ARRAY[${group.id}]::int[]`;
  const common = [seenPlaces(actor, inGroup), ...searchHits(filter)];
  const conditions = [
    issueVisible(issue, actor, sql`v.confidential`),
    ...issueConditions(filter, sql`l.project_id IN (SELECT v.id FROM places v)`),
  ];
  const everything = sql`places v JOIN issues i ON i.project_id = v.id WHERE ${all(conditions)}`;
  if (!countsSuffice(filter)) {
    return load(context, { source: everything, total: null, common }, order, page);
  }
  const reach = page.limit + page.offset;
  const source = reach > FAR ? everything : firstOfEach(conditions, order, reach);
  return load(context, { source, total: countFromPlaces(actor, filter), common }, order, page);
}

/** Up to so many issues of each project are put in order with those of the others; beyond that it is all of them. */
const FAR = 1_000;

/** Of each place as many issues as the page may need, in their order, by index. */
function firstOfEach(conditions: Prisma.Sql[], order: IssueOrder, reach: number): Prisma.Sql {
  return sql`places v CROSS JOIN LATERAL (SELECT i.id, i.created_at, i.updated_at FROM issues i
    WHERE ${all([sql`i.project_id = v.id`, ...conditions])} ORDER BY ${ORDERS[order.by][order.direction]} LIMIT ${reach}) i`;
}

/** Where the issues of a list come from, under alias `i`. */
interface Source {
  source: Prisma.Sql;
  /** How many there are in all; null where they must be counted. */
  total: Prisma.Sql | null;
  /** What both speak of, as it stands behind WITH. */
  common: Prisma.Sql[];
}

/** One statement for the page, its relations and the total. Those that must be counted are found once for page and total. */
async function load(
  { db }: Context,
  { source, total, common }: Source,
  order: IssueOrder,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<IssueRow>> {
  const orderBy = ORDERS[order.by][order.direction];
  const isFound = withTotal && total === null;
  const found = sql`found AS MATERIALIZED (SELECT i.id, i.created_at, i.updated_at FROM ${source})`;
  const page = sql`SELECT i.id, row_number() OVER (ORDER BY ${orderBy}) AS ord FROM ${isFound ? sql`found i` : source}
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
  const parts = isFound ? [...common, found] : common;
  const along = parts.length > 0 ? Prisma.join(parts, ', ') : undefined;
  return queryPage(db, offset, issueRows(page), withTotal && (total ?? sql`(SELECT count(*) FROM found)`), along);
}

const ORDERS = {
  created_at: { asc: sql`i.created_at, i.id`, desc: sql`i.created_at DESC, i.id DESC` },
  updated_at: { asc: sql`i.updated_at, i.id`, desc: sql`i.updated_at DESC, i.id DESC` },
};

/** The count that a trigger keeps; who does not see confidential issues gets the public ones and their own. */
function countFromCounters(actor: Actor, projectId: number, filter: IssueFilter, seesAll: boolean): Prisma.Sql {
  const { everything, confidential } = counters(filter);
  if (seesAll) return sql`(SELECT ${everything} FROM project_counters c WHERE c.project_id = ${projectId})`;
  const own = ownConfidential(actor, filter, sql`i.project_id = ${projectId}`);
  return sql`(SELECT ${everything} - (${confidential}) + ${own} FROM project_counters c WHERE c.project_id = ${projectId})`;
}

/** As countFromCounters, of all places. */
function countFromPlaces(actor: Actor, filter: IssueFilter): Prisma.Sql {
  const { everything, confidential } = counters(filter);
  const own = ownConfidential(actor, filter, sql`${within('i')} AND NOT ${within('i', 'confidential')}`);
  return sql`(SELECT COALESCE(sum(${everything} - CASE WHEN v.confidential THEN 0 ELSE ${confidential} END), 0) + ${own}
    FROM places v JOIN project_counters c ON c.project_id = v.id)`;
}

function statesOf({ state }: IssueFilter): ('opened' | 'closed')[] {
  return state && state !== 'all' ? [state] : ['opened', 'closed'];
}

/** How many issues in these states a project has, and how many of them are confidential, by the counters under alias `c`. */
function counters(filter: IssueFilter): { everything: Prisma.Sql; confidential: Prisma.Sql } {
  const sum = (suffix: '' | '_confidential') =>
    Prisma.join(
      statesOf(filter).map((name) => Prisma.raw(`c.${name}${suffix}`)),
      ' + ',
    );
  return { everything: sum(''), confidential: sql`(${sum('_confidential')})` };
}

/** How many confidential issues the actor sees only as their author or assignee. */
function ownConfidential(actor: Actor, filter: IssueFilter, where: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT count(*) FROM issues i WHERE i.confidential AND (i.author_id = ${actor.id} OR i.assignee_id = ${actor.id})
    AND i.deleted_at IS NULL AND i.state::text = ANY(${statesOf(filter)}::text[]) AND ${where})`;
}
