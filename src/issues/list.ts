import { can } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { issueVisible, projectAccessLevel, projectVisible } from '#src/access/visibility.ts';
import { all, Prisma, queryPage } from '#src/db.ts';
import type { GroupRow } from '#src/groups/find.ts';
import { countsSuffice, type IssueFilter, issueConditions } from '#src/issues/filter.ts';
import { type IssueRow, issueRows } from '#src/issues/rows.ts';
import type { Direction, Page, PageRequest } from '#src/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

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
    issueVisible(actor, seesAll),
    ...issueConditions(filter, project.id),
    ...extra,
  ];
  const source = sql`issues i WHERE ${all(conditions)}`;
  const counted = countsSuffice(filter) && extra.length === 0;
  const total = counted ? countFromCounters(actor, project.id, filter, seesAll) : sql`(SELECT count(*) FROM ${source})`;
  return load(context, source, order, page, total);
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

/** The issues that somebody wrote, as far as the actor sees them. */
export async function listAuthoredIssues(
  context: Context,
  authorId: number,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Promise<Page<IssueRow>> {
  return listAcrossProjects(context, [sql`i.author_id = ${authorId}`], sql`TRUE`, filter, order, page);
}

/** The issues of all projects in a group and its subgroups that the actor sees. */
export async function listGroupIssues(
  context: Context,
  group: GroupRow,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Promise<Page<IssueRow>> {
  const inGroup = sql`n.lineage @> ARRAY[${group.id}]::int[]`;
  return listAcrossProjects(context, [], inGroup, filter, order, page);
}

async function listAcrossProjects(
  context: Context,
  own: Prisma.Sql[],
  where: Prisma.Sql,
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
): Promise<Page<IssueRow>> {
  const actor = requireActor(context);
  const visible = sql`(SELECT p.id, ${projectAccessLevel(actor)} >= 20 AS secrets FROM projects p
    JOIN namespaces n ON n.id = p.namespace_id WHERE p.issues_enabled AND ${where} AND ${projectVisible(actor)}) vp`;
  const conditions = [...own, issueVisible(actor, sql`vp.secrets`), ...issueConditions(filter)];
  const source = sql`issues i JOIN ${visible} ON vp.id = i.project_id WHERE ${all(conditions)}`;
  return load(context, source, order, page, sql`(SELECT count(*) FROM ${source})`);
}

/** One statement for the page, its relations and the total. */
async function load(
  { db }: Context,
  source: Prisma.Sql,
  order: IssueOrder,
  { limit, offset, withTotal }: PageRequest,
  total: Prisma.Sql,
): Promise<Page<IssueRow>> {
  const orderBy = ORDERS[order.by][order.direction];
  const page = sql`SELECT i.id, row_number() OVER (ORDER BY ${orderBy}) AS ord FROM ${source}
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
  return queryPage(db, offset, issueRows(page), withTotal && total);
}

const ORDERS = {
  created_at: { asc: sql`i.created_at, i.id`, desc: sql`i.created_at DESC, i.id DESC` },
  updated_at: { asc: sql`i.updated_at, i.id`, desc: sql`i.updated_at DESC, i.id DESC` },
};

/** The count that a trigger keeps; who does not see confidential issues gets the public ones and his own. */
function countFromCounters(actor: Actor, projectId: number, { state }: IssueFilter, seesAll: boolean): Prisma.Sql {
  const states = state && state !== 'all' ? [state] : (['opened', 'closed'] as const);
  const sum = (suffix: '' | '_confidential') =>
    Prisma.join(
      states.map((name) => Prisma.raw(`c.${name}${suffix}`)),
      ' + ',
    );
  if (seesAll) return sql`(SELECT ${sum('')} FROM project_counters c WHERE c.project_id = ${projectId})`;
  return sql`(SELECT ${sum('')} - (${sum('_confidential')}) + (SELECT count(*) FROM issues i
    WHERE i.project_id = ${projectId} AND i.confidential AND i.deleted_at IS NULL
      AND i.state::text = ANY(${[...states]}::text[]) AND (i.author_id = ${actor.id} OR i.assignee_id = ${actor.id}))
    FROM project_counters c WHERE c.project_id = ${projectId})`;
}
