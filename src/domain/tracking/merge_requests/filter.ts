import type { Actor } from '#src/access/permissions/actor.ts';
import { ofOrAround } from '#src/domain/projects/groups_around.ts';
import { isDraftSql } from '#src/domain/tracking/merge_requests/draft.ts';
import { type PeopleFilter, peopleConditions } from '#src/domain/tracking/merge_requests/people_filter.ts';
import {
  holdsText,
  type OfPlace,
  type SubjectFilter,
  searchOf,
  subjectConditions,
} from '#src/domain/tracking/subjects/filter.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

/** The filters of lists of merge requests (endpoints-beyond.md, Merge requests). */
export interface MergeRequestFilter extends Omit<SubjectFilter, 'not'>, PeopleFilter {
  state?: 'opened' | 'closed' | 'merged' | 'all' | null | undefined;
  sourceBranch?: string | null | undefined;
  targetBranch?: string | null | undefined;
  /** Only drafts, or only others; both when absent. */
  draft?: boolean | null | undefined;
}

const { sql } = Prisma;
const pair = alias('MergeRequestLabel', 'ml');
const PAIRS = { table: table(pair), subjectId: pair.mergeRequestId, labelId: pair.labelId };

/** The conditions of a filter on merge requests of a project. Throws BadRequest. */
export function mergeRequestConditions(
  mergeRequest: Alias<'MergeRequest'>,
  filter: MergeRequestFilter,
  actor: Actor,
  project: number | Prisma.Sql,
): Prisma.Sql[] {
  const { id, iid, authorId, assigneeId, milestoneId, createdAt, updatedAt, title, description } = mergeRequest;
  const own = { id, iid, authorId, assigneeId, milestoneId, createdAt, updatedAt, title, description };
  const columns = { ...own, projectId: mergeRequest.targetProjectId };
  const inProjects = (row: OfPlace) => ofOrAround(row, project);
  const { state, sourceBranch, targetBranch, draft } = filter;
  const conditions = subjectConditions({ type: 'MergeRequest', columns, pairs: PAIRS, inProjects }, filter, actor);
  if (state && state !== 'all') conditions.push(sql`${mergeRequest.state} = ${state}::merge_request_state`);
  if (sourceBranch) conditions.push(sql`${mergeRequest.sourceBranch} = ${sourceBranch}`);
  if (targetBranch) conditions.push(sql`${mergeRequest.targetBranch} = ${targetBranch}`);
  if (draft != null) conditions.push(draft ? isDraftSql(title) : sql`NOT ${isDraftSql(title)}`);
  conditions.push(...peopleConditions(mergeRequest, filter, actor));
  const searched = searchOf(filter);
  if (searched) conditions.push(holdsText(columns, searched));
  return conditions;
}
