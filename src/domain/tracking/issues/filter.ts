import type { Actor } from '#src/access/permissions/actor.ts';
import {
  holdsText,
  type OfPlace,
  type SubjectFilter,
  searchOf,
  subjectConditions,
} from '#src/domain/tracking/subjects/filter.ts';
import { FEW_HITS } from '#src/domain/tracking/subjects/hits.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

/** The filters of all lists of issues (rest-api-v4.md, Issues). */
export interface IssueFilter extends SubjectFilter {
  state?: 'opened' | 'closed' | 'all' | null | undefined;
  /** Only confidential ones, or only others; both when absent. */
  confidential?: boolean | null | undefined;
  /** Those of projects that are not archived; without effect on the issues of a single project. */
  nonArchived?: boolean | null | undefined;
}

const { sql } = Prisma;
const pair = alias('IssueLabel', 'il');
const PAIRS = { table: table(pair), subjectId: pair.issueId, labelId: pair.labelId };

/**
 * The conditions of a filter on issues; `inProjects`, a condition on labels and milestones, narrows their look-ups. A text search uses
 * `searchHits`, which must be in the WITH clause. Throws BadRequest.
 */
export function issueConditions(
  issue: Alias<'Issue'>,
  filter: IssueFilter,
  actor: Actor,
  inProjects: (row: OfPlace) => Prisma.Sql,
): Prisma.Sql[] {
  return [...unsearchedConditions(issue, filter, actor, inProjects), ...searchConditions(issue, filter)];
}

/** Like issueConditions, without the text search. */
export function unsearchedConditions(
  issue: Alias<'Issue'>,
  filter: IssueFilter,
  actor: Actor,
  inProjects: (row: OfPlace) => Prisma.Sql,
): Prisma.Sql[] {
  const { state, confidential } = filter;
  const conditions = [sql`${issue.deletedAt} IS NULL`];
  if (state && state !== 'all') conditions.push(sql`${issue.state} = ${state}::issue_state`);
  if (confidential != null) conditions.push(confidential ? issue.confidential : sql`NOT ${issue.confidential}`);
  conditions.push(...subjectConditions({ type: 'Issue', columns: issue, pairs: PAIRS, inProjects }, filter, actor));
  return conditions;
}

function searchConditions(issue: Alias<'Issue'>, filter: IssueFilter): Prisma.Sql[] {
  const searched = searchOf(filter);
  if (!searched) return [];
  const held = holdsText(issue, searched);
  if (!searched.isIndexed) return [held];
  return [sql`CASE WHEN ${FEW_HITS} THEN (${issue.id} IN (SELECT h.id FROM hits h)) IS TRUE ELSE ${held} END`];
}

/** Whether the filter is by state only, which the counters know. */
export function countsSuffice({ state: _state, nonArchived: _nonArchived, ...filter }: IssueFilter): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (value == null || name === 'in') return true;
    if (name === 'scope') return value === 'all';
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
