import { MOST_LABELS } from '#src/labels/ensure.ts';
import { containing, hasTrigrams, holds, Prisma } from '#src/platform/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** The filters of every issue list (rest-api-v4.md, Issues). */
export interface IssueFilter {
  state?: 'opened' | 'closed' | 'all' | null | undefined;
  /** All of them must be on the issue; `No Label` among them means issues without any. */
  labels?: readonly string[] | null | undefined;
  /** A title, `No Milestone`, `#upcoming` or `#started`. */
  milestone?: string | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** Found anywhere in title or description, whatever its case. */
  search?: string | null | undefined;
}

const { sql } = Prisma;

/**
 * The conditions of a filter on alias `i`; `inProjects`, a condition on alias `l`, narrows the look-ups of labels. What they
 * find by a search comes from `searchHits`, which must stand behind WITH. Throws BadRequest.
 */
export function issueConditions(filter: IssueFilter, inProjects: Prisma.Sql): Prisma.Sql[] {
  const conditions = [sql`i.deleted_at IS NULL`];
  const { state, labels, milestone, iids, search } = filter;
  if (state && state !== 'all') conditions.push(sql`i.state = ${state}::issue_state`);
  if (labels && labels.length > MOST_LABELS) {
    throw new BadRequest(`labels has too many names (maximum is ${MOST_LABELS})`);
  }
  if (labels && labels.length > 0) conditions.push(...labelConditions([...new Set(labels)], inProjects));
  if (milestone) conditions.push(milestoneCondition(milestone));
  if (iids && iids.length > 0) conditions.push(sql`i.iid = ANY(${[...iids]}::int[])`);
  if (search) {
    const pattern = containing(search);
    const held = sql`(${holds('i.title', pattern)} OR ${holds('i.description', pattern)})`;
    const few = sql`(SELECT count(*) FROM hits) <= ${MOST_HITS}`;
    conditions.push(
      hasTrigrams(search)
        ? sql`CASE WHEN ${few} THEN (i.id IN (SELECT h.id FROM hits h)) IS TRUE ELSE ${held} END`
        : held,
    );
  }
  return conditions;
}

/** Up to so many issues are looked up among those of a list; of more than that most lists hold some. */
const MOST_HITS = 5_000;

/**
 * The issues of the whole server that have the text, by index, as the subquery `hits`; one more than are looked up where it is
 * a common text. Nothing where no index helps.
 */
export function searchHits({ search }: IssueFilter): Prisma.Sql[] {
  if (!search || !hasTrigrams(search)) return [];
  const pattern = containing(search);
  return [
    sql`hits AS MATERIALIZED (SELECT f.id FROM issues f WHERE f.title ILIKE ${pattern}
      UNION ALL SELECT f.id FROM issues f WHERE f.description ILIKE ${pattern} LIMIT ${MOST_HITS + 1})`,
  ];
}

/** Whether the filter narrows by anything but the state, which the counters know. */
export function countsSuffice({ labels, milestone, iids, search }: IssueFilter): boolean {
  return !labels?.length && !milestone && !iids?.length && !search;
}

function labelConditions(titles: string[], inProjects: Prisma.Sql): Prisma.Sql[] {
  if (titles.includes('No Label')) {
    return [sql`NOT EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)`];
  }
  return titles.map(
    (title) => sql`i.id IN (SELECT il.issue_id FROM issue_labels il JOIN labels l ON l.id = il.label_id
      WHERE l.title = ${title} AND ${inProjects})`,
  );
}

function milestoneCondition(title: string): Prisma.Sql {
  const today = sql`(now() AT TIME ZONE 'UTC')::date`;
  switch (title) {
    case 'No Milestone':
      return sql`i.milestone_id IS NULL`;
    case '#upcoming':
      return sql`i.milestone_id = (SELECT m.id FROM milestones m WHERE m.project_id = i.project_id
        AND m.state = 'active' AND m.due_date > ${today} ORDER BY m.due_date, m.id LIMIT 1)`;
    case '#started':
      return sql`i.milestone_id IN (SELECT m.id FROM milestones m WHERE m.project_id = i.project_id
        AND m.state = 'active' AND m.start_date <= ${today})`;
    default:
      return sql`i.milestone_id IN (SELECT m.id FROM milestones m WHERE m.project_id = i.project_id AND m.title = ${title})`;
  }
}
