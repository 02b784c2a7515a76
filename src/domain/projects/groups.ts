import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { groupVisible, notExpired } from '#src/access/permissions/visibility.ts';
import { isGroup } from '#src/domain/groups/find.ts';
import { namespaceMatches } from '#src/domain/namespaces/matching.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { groupsAround } from '#src/domain/projects/groups_around.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/groups/computed_fields.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'n');

/** Which of the groups of a project. */
export interface ProjectGroups {
  /** In name or path, ignoring case. */
  search?: string | null | undefined;
  /** IDs of groups to leave out. */
  skipGroups?: readonly number[] | null | undefined;
  /** Whether groups with which the project is shared belong to them. */
  withShared?: boolean | null | undefined;
  /** Of these, only those that get at least this level. */
  sharedMinAccessLevel?: number | null | undefined;
}

/** The groups around each project, by name, as far as the actor can see them, in one statement; also for anonymous callers. */
export function listProjectGroups<R>(
  context: Context,
  projects: readonly ProjectRow[],
  { search, skipGroups, withShared, sharedMinAccessLevel }: ProjectGroups,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>[]> {
  const { db, actor } = context;
  requireApiScope(actor);
  const least = sharedMinAccessLevel ?? 0;
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const shared = sql`SELECT ps.group_id FROM project_shares ps
      WHERE ps.project_id = ${project} AND ps.group_access >= ${least} AND ${notExpired('ps')}`;
    const around = sql`${group.id} = ANY(${groupsAround(project)})`;
    const where = all([
      withShared ? sql`(${around} OR ${group.id} IN (${shared}))` : around,
      isGroup(group),
      groupVisible(actor, group),
      ...(skipGroups?.length ? [sql`NOT ${group.id} = ANY(${[...skipGroups]}::int[])`] : []),
      ...(search?.trim() ? [namespaceMatches(search.trim())] : []),
    ]);
    return pageOfRows(
      selection,
      { rows: group, where, order: order('Namespace', ['name', 'id'], 'asc'), params: { actor } },
      page,
    );
  };
  return readPages(
    db,
    page,
    perParent(
      projects.map(({ id }) => ({ project: id })),
      { project: 'int' },
      pageOf,
    ),
  );
}
