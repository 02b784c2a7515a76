import { MOST_LABELS } from '#src/labels/ensure.ts';
import { containing, hasTrigrams, holds, Prisma } from '#src/platform/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

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
const [label, issueLabel, milestone] = [alias('Label', 'l'), alias('IssueLabel', 'il'), alias('Milestone', 'm')];

/**
 * The conditions of a filter on issues; `inProjects`, a condition on labels, narrows their look-ups. What is found by a search
 * comes from `searchHits`, which must stand behind WITH. Throws BadRequest.
 */
export function issueConditions(
  issue: Alias<'Issue'>,
  filter: IssueFilter,
  inProjects: (label: Alias<'Label'>) => Prisma.Sql,
): Prisma.Sql[] {
  const conditions = [sql`${issue.deletedAt} IS NULL`];
  const { state, labels, milestone, iids, search } = filter;
  if (state && state !== 'all') conditions.push(sql`${issue.state} = ${state}::issue_state`);
  conditions.push(...labelConditions(ISSUE_LABELS, issue, labels, inProjects));
  if (milestone) conditions.push(milestoneCondition(issue, milestone));
  if (iids && iids.length > 0) conditions.push(sql`${issue.iid} = ANY(${[...iids]}::int[])`);
  if (search) {
    const held = holdsText(issue, search);
    conditions.push(
      hasTrigrams(search)
        ? sql`CASE WHEN ${FEW_HITS} THEN (${issue.id} IN (SELECT h.id FROM hits h)) IS TRUE ELSE ${held} END`
        : held,
    );
  }
  return conditions;
}

/** Up to so many issues are looked up among those of a list; of more than that most lists hold some. */
const MOST_HITS = 5_000;

/** Whether they are so few, where `searchHits` stands behind WITH. */
export const FEW_HITS = sql`((SELECT count(*) FROM hits) <= ${MOST_HITS})`;

/** Whether an issue has a text in title or description, in any case, as it is told of each row. */
export function holdsText({ title, description }: Alias<'Issue'>, text: string): Prisma.Sql {
  const pattern = containing(text);
  return sql`(${holds(title, pattern)} OR ${holds(description, pattern)})`;
}

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

/** The table that says which labels are on what. */
export interface LabelPairs {
  table: Prisma.Sql;
  subjectId: Prisma.Sql;
  labelId: Prisma.Sql;
}

const ISSUE_LABELS: LabelPairs = {
  table: table(issueLabel),
  subjectId: issueLabel.issueId,
  labelId: issueLabel.labelId,
};

/** The conditions for what has all labels of these titles; `No Label` among them stands for none. Throws BadRequest. */
export function labelConditions(
  pairs: LabelPairs,
  { id }: { readonly id: Prisma.Sql },
  labels: readonly string[] | null | undefined,
  inProjects: (of: typeof label) => Prisma.Sql,
): Prisma.Sql[] {
  const titles = [...new Set(labels ?? [])];
  if (titles.length > MOST_LABELS) {
    throw new BadRequest(`labels has too many names (maximum is ${MOST_LABELS})`, 'labels');
  }
  if (titles.includes('No Label')) {
    return [sql`NOT EXISTS (SELECT 1 FROM ${pairs.table} WHERE ${pairs.subjectId} = ${id})`];
  }
  return titles.map(
    (title) => sql`${id} IN (SELECT ${pairs.subjectId} FROM ${pairs.table}
      JOIN ${table(label)} ON ${label.id} = ${pairs.labelId} WHERE ${label.title} = ${title} AND ${inProjects(label)})`,
  );
}

/** The condition for what is of a milestone, by its title or a word that stands for some. */
export function milestoneCondition(
  { milestoneId, projectId }: { readonly milestoneId: Prisma.Sql; readonly projectId: Prisma.Sql },
  title: string,
): Prisma.Sql {
  const today = sql`(now() AT TIME ZONE 'UTC')::date`;
  const { id, dueDate, startDate } = milestone;
  const ofProject = sql`SELECT ${id} FROM ${table(milestone)} WHERE ${milestone.projectId} = ${projectId}`;
  const isActive = sql`${milestone.state} = 'active'`;
  switch (title) {
    case 'No Milestone':
      return sql`${milestoneId} IS NULL`;
    case '#upcoming':
      return sql`${milestoneId} = (${ofProject} AND ${isActive} AND ${dueDate} > ${today} ORDER BY ${dueDate}, ${id} LIMIT 1)`;
    case '#started':
      return sql`${milestoneId} IN (${ofProject} AND ${isActive} AND ${startDate} <= ${today})`;
    default:
      return sql`${milestoneId} IN (${ofProject} AND ${milestone.title} = ${title})`;
  }
}
