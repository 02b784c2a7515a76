import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { containing, Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const milestone = alias('Milestone', 'm');

export interface MilestoneFilter {
  state?: 'active' | 'closed' | 'all' | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** Matches anywhere in title or description, ignoring case. */
  search?: string | null | undefined;
}

const milestones = projectScoped({
  ability: 'read_milestone',
  rows: milestone,
  order: order('Milestone', ['id'], 'desc'),
});

/** The milestone of a project by ID. */
export const { find: findMilestone, findByIds: findMilestonesByIds } = milestones;

/** The milestones of each project, newest first. */
export function listMilestones<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: MilestoneFilter,
  page: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<(Page<R> | Error)[]> {
  return milestones.list(context, projects, page, selection, conditions(filter));
}

function conditions({ state, iids, search }: MilestoneFilter): Prisma.Sql[] {
  const { title, description } = milestone;
  return [
    ...(state && state !== 'all' ? [sql`${milestone.state} = ${state}::milestone_state`] : []),
    ...(iids && iids.length > 0 ? [sql`${milestone.iid} = ANY(${[...iids]}::int[])`] : []),
    ...(search ? [sql`(${title} ILIKE ${containing(search)} OR ${description} ILIKE ${containing(search)})`] : []),
  ];
}
