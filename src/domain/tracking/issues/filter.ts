import type { Actor } from '#src/access/permissions/actor.ts';
import { assignedTo, TODAY } from '#src/access/permissions/visibility.ts';
import {
  holdsText,
  type MilestoneMatch,
  milestoneMatches,
  type OfPlace,
  ofLabelsThere,
  ofMilestones,
  type SubjectFilter,
  searchOf,
  subjectConditions,
  subscribedTo,
  userOf,
  withLabels,
} from '#src/domain/tracking/subjects/filter.ts';
import { FEW_HITS } from '#src/domain/tracking/subjects/hits.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';

/** The filters of all lists of issues (rest-api-v4.md, Issues). */
export interface IssueFilter extends SubjectFilter {
  state?: 'opened' | 'closed' | 'all' | null | undefined;
  /** Only confidential ones, or only others; both when absent. */
  confidential?: boolean | null | undefined;
  milestoneIs?: MilestoneMatch | null | undefined;
  dueDate?: DueDateMatch | null | undefined;
  /** There are no test cases. */
  type?: IssueType | 'test_case' | null | undefined;
  /** One of these. */
  types?: readonly IssueType[] | null | undefined;
  /** Who closed it last, of closed issues. */
  closedById?: number | null | undefined;
  /** Whether to leave out those of archived projects. */
  nonArchived?: boolean | null | undefined;
  /** Of one of these milestones, each as `milestone` is; at most 10. */
  milestones?: readonly string[] | null | undefined;
  /** Whether the actor has subscribed by hand, or unsubscribed. */
  explicitlySubscribed?: boolean | null | undefined;
  /** With one of these IDs, and below one of these; at most 100 each. */
  ids?: readonly number[] | null | undefined;
  parentIds?: readonly number[] | null | undefined;
  /** All of these are assignees; case-insensitive; at most 10. */
  assigneeUsernames?: readonly string[] | null | undefined;
  /** Inclusive. */
  closedAfter?: Date | null | undefined;
  closedBefore?: Date | null | undefined;
  dueAfter?: Date | null | undefined;
  dueBefore?: Date | null | undefined;
}

/** When an issue is due: `0` for never, `overdue` for before today; weeks begin on Monday. */
export type DueDateMatch =
  | '0'
  | 'any'
  | 'today'
  | 'tomorrow'
  | 'overdue'
  | 'week'
  | 'month'
  | 'next_month_and_previous_two_weeks';

/** The types of issues. */
export type IssueType = Columns['Issue']['type'];

/** How severe an incident is. */
export type IssueSeverity = Columns['Issue']['severity'];

const { sql, raw } = Prisma;
const [closing, later] = [alias('StateEvent', 'ce'), alias('StateEvent', 'le')];
const pair = alias('IssueLabel', 'il');
const PAIRS = { table: table(pair), subjectId: pair.issueId, labelId: pair.labelId };

/**
 * The conditions of a filter on issues; `inProjects`, a condition on labels and milestones, narrows their look-ups. A text search uses
 * `searchHits`, which must be in the WITH clause. Throws BadRequest.
 */
export function issueConditions(
  issue: Alias<'Issue'>,
  filter: IssueFilter,
  actor: Actor | null,
  inProjects: (row: OfPlace) => Prisma.Sql,
): Prisma.Sql[] {
  return [...unsearchedConditions(issue, filter, actor, inProjects), ...searchConditions(issue, filter)];
}

/** Like issueConditions, without the text search. */
export function unsearchedConditions(
  issue: Alias<'Issue'>,
  filter: IssueFilter,
  actor: Actor | null,
  inProjects: (row: OfPlace) => Prisma.Sql,
): Prisma.Sql[] {
  const { state, confidential, milestoneIs, dueDate, type, types, closedById, nonArchived } = filter;
  const conditions = [sql`${issue.deletedAt} IS NULL`];
  if (state && state !== 'all') conditions.push(sql`${issue.state} = ${state}::issue_state`);
  if (confidential != null) conditions.push(confidential ? issue.confidential : sql`NOT ${issue.confidential}`);
  if (type) conditions.push(type === 'test_case' ? sql`FALSE` : sql`${issue.type} = ${type}::issue_type`);
  if (types && types.length > 0) conditions.push(sql`${issue.type} = ANY(${[...types]}::issue_type[])`);
  if (milestoneIs) conditions.push(milestoneMatches({ columns: issue, inProjects }, milestoneIs));
  if (dueDate) conditions.push(dueCondition(issue.dueDate, dueDate));
  if (closedById != null) conditions.push(closedBy(issue, closedById));
  if (nonArchived)
    conditions.push(sql`NOT EXISTS (SELECT 1 FROM projects ap WHERE ap.id = ${issue.projectId} AND ap.archived)`);
  conditions.push(...namedConditions(issue, filter), ...momentConditions(issue, filter));
  const of = { type: 'Issue', columns: issue, pairs: PAIRS, inProjects } as const;
  if (filter.milestones?.length) conditions.push(ofMilestones(of, filter.milestones));
  if (filter.explicitlySubscribed != null) conditions.push(subscribedTo(of, filter.explicitlySubscribed, actor));
  conditions.push(...subjectConditions(of, filter, actor));
  return conditions;
}

/** The conditions about records that are named. Throws BadRequest for too many. */
function namedConditions(issue: Alias<'Issue'>, filter: IssueFilter): Prisma.Sql[] {
  const { ids, milestones, parentIds, assigneeUsernames } = filter;
  for (const [name, given, most] of [
    ['ids', ids, 100],
    ['parent_ids', parentIds, 100],
    ['assignee_usernames', assigneeUsernames, 10],
    ['milestones', milestones, 10],
  ] as const) {
    if (given && given.length > most) throw new BadRequest(`${name} has too many entries (maximum is ${most})`, name);
  }
  return [
    ...(ids ? [sql`${issue.id} = ANY(${[...ids]}::int[])`] : []),
    ...(parentIds
      ? [sql`${issue.id} IN (SELECT h.issue_id FROM issue_parents h WHERE h.parent_id = ANY(${[...parentIds]}::int[]))`]
      : []),
    ...[...new Set(assigneeUsernames)].map((name) => assignedTo('Issue', issue, userOf(name))),
  ];
}

function momentConditions(issue: Alias<'Issue'>, filter: IssueFilter): Prisma.Sql[] {
  const { closedAfter, closedBefore, dueAfter, dueBefore } = filter;
  const day = (moment: Date) => moment.toISOString().slice(0, 10);
  return [
    ...(closedAfter ? [sql`${closedAt(issue)} >= ${timestamp(closedAfter)}`] : []),
    ...(closedBefore ? [sql`${closedAt(issue)} <= ${timestamp(closedBefore)}`] : []),
    ...(dueAfter ? [sql`${issue.dueDate} >= ${day(dueAfter)}::date`] : []),
    ...(dueBefore ? [sql`${issue.dueDate} <= ${day(dueBefore)}::date`] : []),
  ];
}

/** The IDs, as `id`, of the issues with labels of all these titles, of the subquery `places` and of groups. */
export function issuesWithLabels(titles: readonly string[]): Prisma.Sql {
  return withLabels({ type: 'Issue', pairs: PAIRS, inProjects: ofLabelsThere }, titles);
}

function dueCondition(due: Prisma.Sql, match: DueDateMatch): Prisma.Sql {
  const startOf = (unit: 'week' | 'month') => sql`date_trunc(${raw(`'${unit}'`)}, ${TODAY})`;
  switch (match) {
    case '0':
      return sql`${due} IS NULL`;
    case 'any':
      return sql`${due} IS NOT NULL`;
    case 'today':
      return sql`${due} = ${TODAY}`;
    case 'tomorrow':
      return sql`${due} = ${TODAY} + 1`;
    case 'overdue':
      return sql`${due} < ${TODAY}`;
    case 'week':
      return sql`${due} >= ${startOf('week')} AND ${due} < ${startOf('week')} + interval '1 week'`;
    case 'month':
      return sql`${due} >= ${startOf('month')} AND ${due} < ${startOf('month')} + interval '1 month'`;
    case 'next_month_and_previous_two_weeks':
      return sql`${due} >= ${TODAY} - 14 AND ${due} < ${startOf('month')} + interval '2 months'`;
  }
}

/** When a closed issue was closed last. */
function closedAt({ id, state }: Alias<'Issue'>): Prisma.Sql {
  return sql`(SELECT max(${closing.createdAt}) FROM ${table(closing)}
    WHERE ${closing.issueId} = ${id} AND ${closing.state} = 'closed' AND ${state} = 'closed')`;
}

/** Whether a user was the last to close an issue that is closed; by what that user closed, which is little. */
function closedBy({ id, state }: Alias<'Issue'>, userId: number): Prisma.Sql {
  return sql`${state} = 'closed' AND ${id} IN (SELECT ${closing.issueId} FROM ${table(closing)}
    WHERE ${closing.userId} = ${userId} AND ${closing.state} = 'closed' AND NOT EXISTS (SELECT 1 FROM ${table(later)}
      WHERE ${later.issueId} = ${closing.issueId} AND ${later.id} > ${closing.id} AND ${later.state} = 'closed'))`;
}

/** The condition of the text search alone. */
export function searchConditions(issue: Alias<'Issue'>, filter: IssueFilter): Prisma.Sql[] {
  const searched = searchOf(filter);
  if (!searched) return [];
  const held = holdsText(issue, searched);
  if (!searched.isIndexed) return [held];
  const isHit = sql`(${issue.id} IN (SELECT h.id FROM hits h)) IS TRUE`;
  return [sql`CASE WHEN ${FEW_HITS} THEN ${isHit} ELSE ${held} END`];
}

/** Whether the filter is by state only, which the counters know. */
export function countsSuffice({ state: _state, ...filter }: IssueFilter): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (value == null || name === 'in') return true;
    if (name === 'scope') return value === 'all';
    if (name === 'nonArchived') return !value;
    if (name === 'not') return Object.values(value).every(isBlank);
    return isBlank(value);
  });
}

/** Whether a value does not filter. */
function isBlank(value: unknown): boolean {
  return (
    value == null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
  );
}
