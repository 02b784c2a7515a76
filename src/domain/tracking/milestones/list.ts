import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces } from '#src/access/permissions/places.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { groupsAround, ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import '#src/domain/tracking/milestones/computed_fields.ts';
import { ownerScoped } from '#src/domain/projects/owner_scoped.ts';
import { all, containing, Prisma } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [milestone, subgroup] = [alias('Milestone', 'm'), alias('Namespace', 'dn')];

/** Maximum number of words of a title that are searched for. */
const MAX_WORDS = 20;

/** Which milestones a list has: those that match all. */
export interface MilestoneFilter {
  state?: 'active' | 'closed' | 'all' | null | undefined;
  /** Without effect together with those of the groups around, which have numbers of their own. */
  iids?: readonly number[] | null | undefined;
  /** Matches anywhere in title or description, ignoring case. */
  search?: string | null | undefined;
  title?: string | null | undefined;
  /** Words that are all in the title, ignoring case. */
  searchTitle?: string | null | undefined;
  updatedAfter?: Date | null | undefined;
  updatedBefore?: Date | null | undefined;
  /** A moment between its first and its last day. */
  containingDate?: Date | null | undefined;
  /** Days, as YYYY-MM-DD: those that overlap with this time. */
  startDate?: string | null | undefined;
  endDate?: string | null | undefined;
  includeAncestors?: boolean | null | undefined;
  /** Of groups. */
  includeDescendants?: boolean | null | undefined;
  /** Of groups: also those of their projects, and with the groups inside of the projects of these. */
  includeProjects?: boolean | null | undefined;
}

const milestones = ownerScoped({
  ability: 'read_milestone',
  rows: milestone,
  order: order('Milestone', ['id'], 'desc'),
});

/** The milestone of a project or group by ID. */
export const { find: findMilestone, findByIds: findMilestonesByIds, changed: changedMilestone } = milestones;

/** The milestones of each project, newest first. Throws BadRequest. */
export async function listMilestones<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: MilestoneFilter,
  page: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<(Page<R> | Error)[]> {
  const conditions = conditionsOf(filter);
  const isOf = (project: number | Prisma.Sql) =>
    filter.includeAncestors ? ofProjectOrAncestorGroups(milestone, project) : sql`${milestone.projectId} = ${project}`;
  return milestones.listOfProjects(context, projects, page, selection, (project) =>
    all([isOf(project), ...conditions]),
  );
}

/** The milestones of each group, newest first. Throws BadRequest. */
export async function listGroupMilestones<R>(
  context: Context,
  groups: readonly GroupRow[],
  filter: MilestoneFilter,
  page: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const conditions = conditionsOf(filter);
  const isOf = (group: number | Prisma.Sql) => {
    const ways = [
      filter.includeAncestors
        ? sql`${milestone.groupId} = ANY((SELECT an.lineage FROM namespaces an WHERE an.id = ${group})::int[])`
        : sql`${milestone.groupId} = ${group}`,
      ...(filter.includeDescendants
        ? [
            sql`${milestone.groupId} IN (SELECT dn.id FROM ${table(subgroup)}
              WHERE ${subgroup.lineage} @> ARRAY[${group}]::int[] AND ${groupVisible(actor, subgroup)})`,
          ]
        : []),
      ...(filter.includeProjects ? [ofProjectsIn(actor, group, filter.includeDescendants === true)] : []),
    ];
    return sql`(${Prisma.join(ways, ' OR ')})`;
  };
  return milestones.listOfGroups(context, groups, page, selection, (group) => all([isOf(group), ...conditions]));
}

/** Whether a milestone is one of a project in the group whose milestones the actor sees. */
function ofProjectsIn(actor: Actor | null, group: number | Prisma.Sql, isDeep: boolean): Prisma.Sql {
  const isInside = isDeep ? sql`n.lineage @> ARRAY[${group}]::int[]` : sql`n.id = ${group}`;
  return sql`${milestone.projectId} IN (WITH ${seenPlaces(actor, isInside)} SELECT v.id FROM places v WHERE v.planning)`;
}

/** A statement for the ID of the milestone of a project with a title: its own, else that of the closest group around it. */
export function milestoneTitled(projectId: number | Prisma.Sql, title: string | Prisma.Sql): Prisma.Sql {
  return sql`SELECT ${milestone.id} FROM ${table(milestone)} WHERE ${milestone.title} = ${title} AND ${ofProjectOrAncestorGroups(milestone, projectId)}
    ORDER BY array_position(${groupsAround(projectId)}, ${milestone.groupId}) DESC NULLS FIRST LIMIT 1`;
}

function conditionsOf(filter: MilestoneFilter): Prisma.Sql[] {
  const { title, description, dueDate, startDate, updatedAt } = milestone;
  const { state, iids, search, updatedAfter, updatedBefore, containingDate } = filter;
  const words = [...new Set(filter.searchTitle?.split(/\s+/).filter((word) => word !== ''))];
  if (words.length > MAX_WORDS)
    throw new BadRequest(`search_title has too many words (maximum is ${MAX_WORDS})`, 'search_title');
  if ((filter.startDate == null) !== (filter.endDate == null))
    throw new BadRequest('start_date and end_date are given together', 'start_date');
  const day = containingDate == null ? null : sql`(${timestamp(containingDate)} AT TIME ZONE 'UTC')::date`;
  return [
    ...(state && state !== 'all' ? [sql`${milestone.state} = ${state}::milestone_state`] : []),
    ...(iids && iids.length > 0 && !filter.includeAncestors ? [sql`${milestone.iid} = ANY(${[...iids]}::int[])`] : []),
    ...(search ? [sql`(${title} ILIKE ${containing(search)} OR ${description} ILIKE ${containing(search)})`] : []),
    ...(filter.title ? [sql`${title} = ${filter.title}`] : []),
    ...words.map((word) => sql`${title} ILIKE ${containing(word)}`),
    ...(updatedAfter ? [sql`${updatedAt} >= ${timestamp(updatedAfter)}`] : []),
    ...(updatedBefore ? [sql`${updatedAt} <= ${timestamp(updatedBefore)}`] : []),
    ...(day
      ? [
          sql`COALESCE(${startDate}, ${dueDate}) IS NOT NULL AND COALESCE(${startDate} <= ${day}, TRUE) AND COALESCE(${dueDate} >= ${day}, TRUE)`,
        ]
      : []),
    ...(filter.startDate != null && filter.endDate != null
      ? [
          sql`COALESCE(${startDate}, ${dueDate}) IS NOT NULL AND COALESCE(${dueDate} >= ${filter.startDate}::date, TRUE)
            AND COALESCE(${startDate} <= ${filter.endDate}::date, TRUE)`,
        ]
      : []),
  ];
}
