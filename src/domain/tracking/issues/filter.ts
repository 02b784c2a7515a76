import type { Actor } from '#src/access/permissions/actor.ts';
import {
  holdsText,
  type OfPlace,
  type Searched,
  type SubjectFilter,
  searchOf,
  subjectConditions,
} from '#src/domain/tracking/subjects/filter.ts';
import { containing, Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

/** The filters of all lists of issues (rest-api-v4.md, Issues). */
export interface IssueFilter extends SubjectFilter {
  state?: 'opened' | 'closed' | 'all' | null | undefined;
  /** Only confidential ones, or only others; both when absent. */
  confidential?: boolean | null | undefined;
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

/** Maximum number of hits that are looked up in a list; of texts with more hits, most lists contain some. */
const MOST_HITS = 5_000;

/** Whether there are that few, with `searchHits` in the WITH clause. */
export const FEW_HITS = sql`((SELECT count(*) FROM hits) <= ${MOST_HITS})`;

/** The distinct hits under alias `h`, if there are few. */
export const EACH_HIT = sql`(SELECT DISTINCT h.id FROM hits h WHERE ${FEW_HITS}) h`;

/**
 * The issues of the whole server with the text, by index, as the subquery `hits`; one more than are looked up if the text is
 * common. Null if no index helps.
 */
export function searchHits(searched: Searched | null): Prisma.Sql[] {
  if (!searched?.isIndexed) return [];
  const pattern = containing(searched.text);
  const found = searched.columns.map(
    (column) => sql`SELECT f.id FROM issues f WHERE ${FOUND[column]} ILIKE ${pattern}`,
  );
  return [sql`hits AS MATERIALIZED (${Prisma.join(found, ' UNION ALL ')} LIMIT ${MOST_HITS + 1})`];
}

const FOUND = { title: sql`f.title`, description: sql`f.description` };

/** Whether the filter is by state only, which the counters know. */
export function countsSuffice({ state: _state, ...filter }: IssueFilter): boolean {
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
