import type { Actor } from '#src/access/permissions/actor.ts';
import { assignedTo } from '#src/access/permissions/visibility.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { projectsAt } from '#src/domain/projects/named.ts';
import { type DeployedFilter, deployedConditions } from '#src/domain/tracking/merge_requests/deployed_filter.ts';
import { type PeopleFilter, peopleConditions } from '#src/domain/tracking/merge_requests/people_filter.ts';
import { isDraftSql } from '#src/domain/tracking/subjects/draft.ts';
import {
  holdsText,
  type OfPlace,
  ofLabelsThere,
  type Searched,
  type SubjectFilter,
  searchOf,
  subjectConditions,
  userOf,
  withLabels,
} from '#src/domain/tracking/subjects/filter.ts';
import { FEW_HITS } from '#src/domain/tracking/subjects/hits.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

export type StateFilter = 'opened' | 'closed' | 'merged' | 'locked' | 'all';

/** The filters of lists of merge requests (endpoints-beyond.md, Merge requests). */
export interface MergeRequestFilter extends Omit<SubjectFilter, 'not'>, PeopleFilter, DeployedFilter {
  state?: StateFilter | null | undefined;
  sourceBranch?: string | null | undefined;
  /** One of these, of each; at most 100. */
  sourceBranches?: readonly string[] | null | undefined;
  targetBranches?: readonly string[] | null | undefined;
  /** All of these are assignees; case-insensitive; at most 10. */
  assigneeUsernames?: readonly string[] | null | undefined;
  targetBranch?: string | null | undefined;
  sourceProjectId?: number | null | undefined;
  /** Who merged it. */
  mergeUserId?: number | null | undefined;
  mergeUserUsername?: string | null | undefined;
  /** Into the project with this full path, in any case. */
  projectPath?: string | null | undefined;
  /** Whether to leave out those of archived projects. */
  nonArchived?: boolean | null | undefined;
  /** Only drafts, or only others; both when absent. */
  draft?: boolean | null | undefined;
}

const { sql } = Prisma;
const pair = alias('MergeRequestLabel', 'ml');
const PAIRS = { table: table(pair), subjectId: pair.mergeRequestId, labelId: pair.labelId };

/**
 * The conditions of a filter on merge requests of a project, or of those in the subquery `places` if it is null; the text search
 * uses `searchHits` there, which must be in the WITH clause. Throws BadRequest.
 */
export function mergeRequestConditions(
  mergeRequest: Alias<'MergeRequest'>,
  filter: MergeRequestFilter,
  actor: Actor | null,
  project: number | Prisma.Sql | null,
): Prisma.Sql[] {
  const { id, iid, authorId, assigneeId, milestoneId, createdAt, updatedAt, title, description } = mergeRequest;
  const own = { id, iid, authorId, assigneeId, milestoneId, createdAt, updatedAt, title, description };
  const columns = { ...own, projectId: mergeRequest.targetProjectId };
  const inProjects = project === null ? ofLabelsThere : (row: OfPlace) => ofProjectOrAncestorGroups(row, project);
  const { state, sourceBranch, targetBranch, sourceProjectId, mergeUserId, mergeUserUsername, draft } = filter;
  const conditions = subjectConditions({ type: 'MergeRequest', columns, pairs: PAIRS, inProjects }, filter, actor);
  conditions.push(...stateConditions(mergeRequest, state));
  if (sourceBranch) conditions.push(sql`${mergeRequest.sourceBranch} = ${sourceBranch}`);
  if (targetBranch) conditions.push(sql`${mergeRequest.targetBranch} = ${targetBranch}`);
  const { sourceBranches, targetBranches } = bounded(filter, ['sourceBranches', 'targetBranches'], 100);
  if (sourceBranches) conditions.push(sql`${mergeRequest.sourceBranch} = ANY(${[...sourceBranches]}::text[])`);
  if (targetBranches) conditions.push(sql`${mergeRequest.targetBranch} = ANY(${[...targetBranches]}::text[])`);
  for (const name of new Set(bounded(filter, ['assigneeUsernames'], 10).assigneeUsernames))
    conditions.push(assignedTo('MergeRequest', columns, userOf(name)));
  if (draft != null) conditions.push(draft ? isDraftSql(title) : sql`NOT ${isDraftSql(title)}`);
  conditions.push(
    ...peopleConditions(mergeRequest, filter, actor),
    ...deployedConditions(mergeRequest, filter, actor, project),
  );
  if (filter.projectPath)
    conditions.push(sql`${mergeRequest.targetProjectId} IN (${projectsAt([filter.projectPath])})`);
  if (sourceProjectId != null) conditions.push(sql`${mergeRequest.sourceProjectId} = ${sourceProjectId}`);
  const isMerged = sql`${mergeRequest.state} = 'merged'`;
  if (mergeUserId != null) conditions.push(sql`${isMerged} AND ${mergeRequest.mergeUserId} = ${mergeUserId}`);
  if (mergeUserUsername)
    conditions.push(sql`${isMerged} AND ${mergeRequest.mergeUserId} = ${userOf(mergeUserUsername)}`);
  if (filter.nonArchived && project !== null) {
    const { targetProjectId } = mergeRequest;
    conditions.push(sql`NOT EXISTS (SELECT 1 FROM projects ap WHERE ap.id = ${targetProjectId} AND ap.archived)`);
  }
  const searched = searchOf(filter);
  if (searched) conditions.push(project === null ? isHit(id, columns, searched) : holdsText(columns, searched));
  return conditions;
}

/** The filter, if none of these lists is longer than that. Throws BadRequest. */
function bounded<F extends object>(filter: F, names: readonly (keyof F & string)[], most: number): F {
  for (const name of names) {
    const given: unknown = filter[name];
    if (Array.isArray(given) && given.length > most)
      throw new BadRequest(`${name} has too many entries (maximum is ${most})`, name);
  }
  return filter;
}

/** The IDs, as `id`, of the merge requests with labels of all these titles, of the subquery `places` and of groups. */
export function mergeRequestsWithLabels(titles: readonly string[]): Prisma.Sql {
  return withLabels({ type: 'MergeRequest', pairs: PAIRS, inProjects: ofLabelsThere }, titles);
}

/** The condition of a state; no merge request is ever locked. */
export function stateConditions(
  mergeRequest: Alias<'MergeRequest'>,
  state: StateFilter | null | undefined,
): Prisma.Sql[] {
  if (!state || state === 'all') return [];
  return [state === 'locked' ? sql`FALSE` : sql`${mergeRequest.state} = ${state}::merge_request_state`];
}

function isHit(id: Prisma.Sql, columns: Parameters<typeof holdsText>[0], searched: Searched): Prisma.Sql {
  const held = holdsText(columns, searched);
  if (!searched.isIndexed) return held;
  return sql`CASE WHEN ${FEW_HITS} THEN (${id} IN (SELECT h.id FROM hits h)) IS TRUE ELSE ${held} END`;
}
