import type { Context } from '#src/access/actor.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { findBelowProject, listBelowProjects, type ProjectRecords } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import '#src/users/own_values.ts';

const { sql } = Prisma;
const deployment = alias('Deployment', 'd');

const DEPLOYMENTS: ProjectRecords<'Deployment'> = {
  ability: 'read_deployment',
  rows: deployment,
  where: (project) => sql`${deployment.projectId} = ${project}`,
  order: ({ id }) => id,
};

/** The deployments of each project, oldest first, as listBelowProjects reads them. */
export function listDeployments<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Deployment', R>,
): Promise<(Page<R> | Error)[]> {
  return listBelowProjects(context, projects, DEPLOYMENTS, page, selection);
}

/** One deployment of the project. Throws NotFound, Forbidden, Unauthenticated. */
export function findDeployment<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Deployment', R>,
): Promise<R> {
  return findBelowProject(context, project, DEPLOYMENTS, sql`${deployment.id} = ${id}`, selection);
}
