import type { SiteSettings } from '#src/platform/config/pages_host.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** Where the sites of projects are served; they are not where absent. */
    readonly sites?: SiteSettings | undefined;
  }
}

/** What the address of a site depends on. */
export interface SiteName {
  fullPath: string;
  /** The part before the host that is the project's alone; null where its group's is used. */
  uniqueDomain: string | null;
}

/** The host of a site below that of all sites, in lower case, with the port if there is one. */
export function siteHost({ host }: SiteSettings, { fullPath, uniqueDomain }: SiteName): string {
  return `${uniqueDomain ?? topOf(fullPath)}.${host}`.toLowerCase();
}

/** The path at which a site begins, without a slash at its end: empty at the root of its host. */
export function sitePath({ hostname }: SiteSettings, { fullPath, uniqueDomain }: SiteName): string {
  if (uniqueDomain !== null) return '';
  const top = topOf(fullPath);
  const below = fullPath.slice(top.length);
  return below.toLowerCase() === `/${top}.${hostname}`.toLowerCase() ? '' : below;
}

/** The URL of a site, or of a part of it, without a slash at its end. */
export function siteUrl(settings: SiteSettings, name: SiteName, pathPrefix = ''): string {
  const part = pathPrefix === '' ? '' : `/${pathPrefix}`;
  return `${settings.scheme}://${siteHost(settings, name)}${sitePath(settings, name)}${part}`;
}

/** The group or user that a project is below. */
function topOf(fullPath: string): string {
  return fullPath.slice(0, fullPath.indexOf('/'));
}
