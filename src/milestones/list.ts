import type { Context } from '#src/access/actor.ts';
import { all, containing, Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { findBelowProject, listBelowProjects, type ProjectRecords } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const milestone = alias('Milestone', 'm');

export interface MilestoneFilter {
  state?: 'active' | 'closed' | 'all' | null | undefined;
  iids?: readonly number[] | null | undefined;
  /** Found anywhere in title or description, whatever its case. */
  search?: string | null | undefined;
}

const MILESTONES: ProjectRecords<'Milestone'> = {
  ability: 'read_milestone',
  rows: milestone,
  where: (project) => sql`${milestone.projectId} = ${project}`,
  order: ({ id }) => sql`${id} DESC`,
};

/** The milestones of each project, newest first, as listBelowProjects reads them. */
export function listMilestones<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: MilestoneFilter,
  page: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<(Page<R> | Error)[]> {
  const where = (project: number | Prisma.Sql) => all([MILESTONES.where(project), ...conditions(filter)]);
  return listBelowProjects(context, projects, { ...MILESTONES, where }, page, selection);
}

function conditions({ state, iids, search }: MilestoneFilter): Prisma.Sql[] {
  const { title, description } = milestone;
  return [
    ...(state && state !== 'all' ? [sql`${milestone.state} = ${state}::milestone_state`] : []),
    ...(iids && iids.length > 0 ? [sql`${milestone.iid} = ANY(${[...iids]}::int[])`] : []),
    ...(search ? [sql`(${title} ILIKE ${containing(search)} OR ${description} ILIKE ${containing(search)})`] : []),
  ];
}

/** The milestone of the project with that (global) ID. Throws NotFound, Forbidden, Unauthenticated. */
export function findMilestone<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Milestone', R>,
): Promise<R> {
  return findBelowProject(context, project, MILESTONES, sql`${milestone.id} = ${id}`, selection);
}
