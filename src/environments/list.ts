import type { Context } from '#src/access/actor.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { findBelowProject, listBelowProjects, type ProjectRecords } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const environment = alias('Environment', 'e');

const ENVIRONMENTS: ProjectRecords<'Environment'> = {
  ability: 'read_environment',
  rows: environment,
  where: (project) => sql`${environment.projectId} = ${project}`,
  order: ({ id }) => id,
};

/** The environments of each project, oldest first, as listBelowProjects reads them. */
export function listEnvironments<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Environment', R>,
): Promise<(Page<R> | Error)[]> {
  return listBelowProjects(context, projects, ENVIRONMENTS, page, selection);
}

/** One environment of the project. Throws NotFound, Forbidden, Unauthenticated. */
export function findEnvironment<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Environment', R>,
): Promise<R> {
  return findBelowProject(context, project, ENVIRONMENTS, sql`${environment.id} = ${id}`, selection);
}
