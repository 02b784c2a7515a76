import { containing, Prisma } from '#src/db.ts';
import { BadRequest } from '#src/errors.ts';
import { MOST_LABELS } from '#src/labels/ensure.ts';

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
 * The conditions of a filter on alias `i`; a project whose issues they are narrows the look-ups of its labels. Throws BadRequest.
 */
export function issueConditions(filter: IssueFilter, projectId?: number): Prisma.Sql[] {
  const conditions = [sql`i.deleted_at IS NULL`];
  const { state, labels, milestone, iids, search } = filter;
  if (state && state !== 'all') conditions.push(sql`i.state = ${state}::issue_state`);
  if (labels && labels.length > MOST_LABELS) {
    throw new BadRequest(`labels has too many names (maximum is ${MOST_LABELS})`);
  }
  if (labels && labels.length > 0) conditions.push(...labelConditions([...new Set(labels)], projectId));
  if (milestone) conditions.push(milestoneCondition(milestone));
  if (iids && iids.length > 0) conditions.push(sql`i.iid = ANY(${[...iids]}::int[])`);
  if (search) {
    const pattern = containing(search);
    conditions.push(sql`(i.title ILIKE ${pattern} OR i.description ILIKE ${pattern})`);
  }
  return conditions;
}

/** Whether the filter narrows by anything but the state, which the counters know. */
export function countsSuffice({ labels, milestone, iids, search }: IssueFilter): boolean {
  return !labels?.length && !milestone && !iids?.length && !search;
}

function labelConditions(titles: string[], projectId: number | undefined): Prisma.Sql[] {
  if (titles.includes('No Label')) {
    return [sql`NOT EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)`];
  }
  const inProject = projectId === undefined ? Prisma.empty : sql`AND l.project_id = ${projectId}`;
  return titles.map(
    (title) => sql`i.id IN (SELECT il.issue_id FROM issue_labels il JOIN labels l ON l.id = il.label_id
      WHERE l.title = ${title} ${inProject})`,
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
