import { randomBytes } from 'node:crypto';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { trimEnds } from '#src/base/text.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { siteUrl } from '#src/domain/projects/site_url.ts';
import { administered, holdSite } from '#src/domain/sites/administered.ts';
import type { PagesAccess } from '#src/generated/prisma/client.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** How the site of a project is served. */
export interface SiteState {
  project: ProjectRow;
  /** Where it is: at its primary domain, if it has one; null where there are no sites. */
  url: string | null;
  uniqueDomainEnabled: boolean;
  httpsOnly: boolean;
  primaryDomain: string | null;
  access: PagesAccess;
  /** Why the job could not be published that tried it last; null if it was. */
  problem: string | null;
  problemJobId: number | null;
}

/** How the sites of projects are served, for developers; Forbidden in place of those that the actor may not know. Throws Unauthenticated. */
export async function siteStates(context: Context, projects: readonly ProjectRow[]): Promise<(SiteState | Error)[]> {
  const actor = readerOf(context);
  const projectId = { in: projects.map(({ id }) => id) };
  const rows = await context.db.project.findMany({
    where: { id: projectId },
    select: { id: true, pagesAccess: true, pagesSettings: true },
  });
  const known = new Map(rows.map((row) => [row.id, row]));
  return projects.map((project) => {
    try {
      authorize(actor, 'read_pages', project);
    } catch (error) {
      return error as Error;
    }
    const { pagesAccess: access = 'disabled', pagesSettings: set = null } = known.get(project.id) ?? {};
    const { uniqueDomainEnabled = false, httpsOnly = true, primaryDomain = null } = set ?? {};
    const { problem = null, problemJobId = null } = set ?? {};
    const url = urlOf(context, project, set);
    return { project, url, uniqueDomainEnabled, httpsOnly, primaryDomain, access, problem, problemJobId };
  });
}

/** What decides where a site is. */
interface Addresses {
  uniqueDomain: string | null;
  uniqueDomainEnabled: boolean;
  primaryDomain: string | null;
}

/** The URL of a site, or of a part of it, without a slash at its end; null where there are no sites. */
export function urlOf(
  { sites }: Pick<Context, 'sites'>,
  { fullPath }: Pick<ProjectRow, 'fullPath'>,
  set: Addresses | null,
  pathPrefix = '',
): string | null {
  if (!sites) return null;
  const port = /:\d+$/.exec(sites.host)?.[0] ?? '';
  const part = pathPrefix === '' ? '' : `/${pathPrefix}`;
  if (set?.primaryDomain) return `${sites.scheme}://${set.primaryDomain}${port}${part}`;
  return siteUrl(sites, { fullPath, uniqueDomain: set?.uniqueDomainEnabled ? set.uniqueDomain : null }, pathPrefix);
}

/** What can be set of a site; what is absent stays as it is. */
export interface SiteChanges {
  uniqueDomainEnabled?: boolean | null | undefined;
  httpsOnly?: boolean | null | undefined;
  /** One of the proved domains of the site; null or empty for none. */
  primaryDomain?: string | null | undefined;
}

/** Changes how the site of a project is served. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateSite(context: Context, ref: IdOrPath, changes: SiteChanges): Promise<ProjectRow> {
  const project = await administered(context, ref);
  const { id: projectId, path } = project;
  await context.db.$transaction(async (tx) => {
    await holdSite(tx, project);
    const before = await tx.pagesSettings.findUnique({ where: { projectId } });
    const { uniqueDomainEnabled, httpsOnly } = changes;
    const primaryDomain =
      changes.primaryDomain === undefined ? undefined : changes.primaryDomain?.toLowerCase() || null;
    if (primaryDomain) {
      const where = { projectId, domain: primaryDomain.replaceAll('\0', ' '), verifiedAt: { not: null } };
      if ((await tx.pagesDomain.count({ where })) === 0) {
        throw new ValidationFailed({ pages_primary_domain: ['must be a verified domain of the project'] });
      }
    }
    const uniqueDomain = before?.uniqueDomain ?? (uniqueDomainEnabled ? uniqueLabel(path) : null);
    const data = {
      uniqueDomain,
      ...(uniqueDomainEnabled == null ? {} : { uniqueDomainEnabled }),
      ...(httpsOnly == null ? {} : { httpsOnly }),
      ...(primaryDomain === undefined ? {} : { primaryDomain }),
    };
    const after = await tx.pagesSettings.upsert({ where: { projectId }, create: { projectId, ...data }, update: data });
    const was = { uniqueDomainEnabled: false, httpsOnly: true, primaryDomain: null, ...before };
    const changed = (
      [
        ['unique_domain_enabled', was.uniqueDomainEnabled, after.uniqueDomainEnabled],
        ['https_only', was.httpsOnly, after.httpsOnly],
        ['primary_domain', was.primaryDomain, after.primaryDomain],
      ] as const
    ).filter(([, from, to]) => from !== to);
    const event = { action: 'pages_updated', ...audited(project) } as const;
    await audit(tx, context, ...changed.map(([attribute, from, to]) => ({ ...event, attribute, from, to })));
  });
  return project;
}

/** Takes the whole site of a project out of use; what was published can be restored for a day. Throws NotFound, Forbidden. */
export async function unpublishSite(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const project = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    await holdSite(tx, project);
    const now = new Date();
    await tx.pagesDeployment.updateMany({
      where: { projectId: project.id, deletedAt: null },
      data: { deletedAt: now, updatedAt: now },
    });
    await audit(tx, context, { action: 'pages_deleted', ...audited(project) });
  });
  return project;
}

function audited({ id: projectId }: ProjectRow) {
  return { place: { projectId }, target: { type: 'Project' as const, id: projectId } };
}

/** Characters of the path of a project in its own part of a host, which has at most 63. */
const MAX_LABEL_PATH = 50;

/** A part of a host that a project has alone. */
/** A new label for the unique host of a site. */
export function uniqueLabel(path: string): string {
  const plain = trimEnds(
    path
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_LABEL_PATH),
    '-',
  );
  return `${plain || 'site'}-${randomBytes(4).toString('hex')}`;
}
