import { labelConditions, milestoneCondition } from '#src/issues/filter.ts';
import { containing, holds, Prisma } from '#src/platform/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

/** The filters of lists of merge requests (endpoints-beyond.md, Merge requests; the rest as with issues). */
export interface MergeRequestFilter {
  state?: 'opened' | 'closed' | 'merged' | 'all' | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** All of them must be on the merge request; `No Label` among them means merge requests without any. */
  labels?: readonly string[] | null | undefined;
  /** A title, `No Milestone`, `#upcoming` or `#started`. */
  milestone?: string | null | undefined;
  sourceBranch?: string | null | undefined;
  targetBranch?: string | null | undefined;
  /** Found anywhere in title or description, whatever its case. */
  search?: string | null | undefined;
}

const { sql } = Prisma;
const pair = alias('MergeRequestLabel', 'ml');

const LABELS = { table: table(pair), subjectId: pair.mergeRequestId, labelId: pair.labelId };

/** The conditions of a filter on the merge requests of a project. Throws BadRequest. */
export function mergeRequestConditions(
  mergeRequest: Alias<'MergeRequest'>,
  { state, iids, labels, milestone, search, ...branches }: MergeRequestFilter,
  project: number | Prisma.Sql,
): Prisma.Sql[] {
  const { milestoneId, targetProjectId, title, description } = mergeRequest;
  const conditions = labelConditions(LABELS, mergeRequest, labels, (label) => sql`${label.projectId} = ${project}`);
  if (state && state !== 'all') conditions.push(sql`${mergeRequest.state} = ${state}::merge_request_state`);
  if (iids && iids.length > 0) conditions.push(sql`${mergeRequest.iid} = ANY(${[...iids]}::int[])`);
  if (milestone) conditions.push(milestoneCondition({ milestoneId, projectId: targetProjectId }, milestone));
  if (branches.sourceBranch) conditions.push(sql`${mergeRequest.sourceBranch} = ${branches.sourceBranch}`);
  if (branches.targetBranch) conditions.push(sql`${mergeRequest.targetBranch} = ${branches.targetBranch}`);
  if (search) {
    const pattern = containing(search);
    conditions.push(sql`(${holds(title, pattern)} OR ${holds(description, pattern)})`);
  }
  return conditions;
}
