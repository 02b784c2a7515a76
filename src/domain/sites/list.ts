import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const deployment = alias('PagesDeployment', 'pd');
const domain = alias('PagesDomain', 'pm');

const deployments = projectScoped({
  ability: 'read_pages',
  rows: deployment,
  order: order('PagesDeployment', ['id'], 'desc'),
});
const domains = projectScoped({ ability: 'admin_pages', rows: domain, order: order('PagesDomain', ['domain']) });

/** Deployments and domains of sites by ID, and those that were changed. */
export const { find: findDeployment, findByIds: findSiteDeploymentsByIds, changed: changedDeployment } = deployments;
export const { findByIds: findDomainsByIds, changed: changedDomain } = domains;

/** Which deployments of a site are listed. */
export interface SiteDeploymentFilter {
  /** Only those that are served, or those that were deleted or replaced. */
  active?: boolean | null | undefined;
  /** Only those with a path prefix, or those without one. */
  versioned?: boolean | null | undefined;
}

/** The deployments of the site of each project, latest first. */
export function listSiteDeployments<R>(
  context: Context,
  projects: readonly ProjectRow[],
  { active, versioned }: SiteDeploymentFilter,
  page: PageRequest,
  selection: Selection<'PagesDeployment', R>,
): Promise<(Page<R> | Error)[]> {
  const conditions = [
    ...(active == null ? [] : [sql`(${deployment.deletedAt} IS NULL) = ${active}`]),
    ...(versioned == null ? [] : [sql`(${deployment.pathPrefix} <> '') = ${versioned}`]),
  ];
  return deployments.list(context, projects, page, selection, conditions);
}

/** The domains of the site of each project, by name. */
export function listDomains<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'PagesDomain', R>,
): Promise<(Page<R> | Error)[]> {
  return domains.list(context, projects, page, selection);
}

/** A domain of the site of a project by its name, in any case. Throws NotFound, Forbidden, Unauthenticated. */
export function findDomain<R>(
  context: Context,
  project: ProjectRow,
  name: string,
  selection: Selection<'PagesDomain', R>,
): Promise<R> {
  return domains.find(context, project, sql`${domain.domain} = ${name.replaceAll('\0', ' ').toLowerCase()}`, selection);
}

/** The domains of the sites of all projects, by name; only those of one name if it is given. For administrators. Throws Unauthenticated, Forbidden. */
export async function listAllDomains<R>(
  context: Context,
  name: string | null | undefined,
  page: PageRequest,
  selection: Selection<'PagesDomain', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  const where = name == null ? sql`TRUE` : sql`${domain.domain} = ${name.replaceAll('\0', ' ').toLowerCase()}`;
  return readPage(context.db, selection, { rows: domain, where, order: order('PagesDomain', ['domain', 'id']) }, page);
}
