import { siteHost, siteUrl } from '#src/domain/projects/site_url.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { Db } from '#src/platform/database/db.ts';

/**
 * The variables that tell where the site of a project is; none where there are no sites.
 *
 * @param pathPrefix of the part of the site that the job publishes, if it does
 */
export async function ofPages(
  db: Db,
  sites: SiteSettings | undefined,
  { id, fullPath }: { id: number; fullPath: string },
  pathPrefix = '',
): Promise<Record<string, string>> {
  if (!sites) return {};
  const found = await db.pagesSettings.findUnique({
    where: { projectId: id },
    select: { uniqueDomain: true, uniqueDomainEnabled: true },
  });
  const name = { fullPath, uniqueDomain: found?.uniqueDomainEnabled ? found.uniqueDomain : null };
  return {
    CI_PAGES_DOMAIN: sites.host,
    CI_PAGES_HOSTNAME: siteHost(sites, name),
    CI_PAGES_URL: siteUrl(sites, name, pathPrefix),
  };
}
