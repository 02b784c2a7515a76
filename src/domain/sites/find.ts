import type { Visibility } from '#src/access/permissions/abilities.ts';
import { projectsAt } from '#src/domain/projects/named.ts';
import { sitePath } from '#src/domain/projects/site_url.ts';
import type { PagesAccess } from '#src/generated/prisma/client.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The site of a project at an address. */
export interface Site {
  projectId: number;
  fullPath: string;
  visibility: Visibility;
  access: PagesAccess;
  httpsOnly: boolean;
  uniqueDomain: string | null;
  /** The domain of its own to which its other addresses redirect. */
  primaryDomain: string | null;
  /** The deployments that are served, of which one has no prefix. */
  parts: readonly SitePart[];
  /** The path of the address at which the site begins; empty at the root of the host. */
  base: string;
}

/** A deployment that is served. */
export interface SitePart {
  projectId: number;
  secret: string;
  pathPrefix: string;
  /** In bytes. */
  indexSize: number;
  /** ISO 8601. */
  createdAt: string;
}

/** Parts of paths that are looked at for the path of a project. */
const MAX_SEGMENTS = 21;

/**
 * The site at an address, whoever may visit it; null if there is none.
 *
 * @param hostname in lower case, without a port
 * @param path decoded, beginning with a slash
 */
export async function findSite(db: Db, settings: SiteSettings, hostname: string, path: string): Promise<Site | null> {
  const label = labelOf(settings, hostname);
  if (label === null) {
    const [site] = await read(db, ofDomain(hostname));
    return site ? { ...site, base: '' } : null;
  }
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .slice(0, MAX_SEGMENTS);
  const paths = segments.map((_part, at) => `${label}/${segments.slice(0, at + 1).join('/')}`);
  const found = await read(
    db,
    sql`((s.unique_domain = ${label} AND s.unique_domain_enabled)
      OR p.id IN (${projectsAt([`${label}/${label}.${settings.hostname}`, ...paths])}))`,
  );
  const own = found.find(({ uniqueDomain }) => uniqueDomain === label);
  if (own) return { ...own, base: '' };
  const based = found.map((site) => ({ ...site, base: sitePath(settings, { ...site, uniqueDomain: null }) }));
  return based.sort((one, other) => other.base.length - one.base.length)[0] ?? null;
}

/** What stands before the host of sites: a group, a user, or the part that a project has alone; null for other hosts. */
export function labelOf({ hostname: host }: SiteSettings, hostname: string): string | null {
  return hostname.endsWith(`.${host}`) ? hostname.slice(0, -host.length - 1) : null;
}

/** Whether a host of its own leads to a site. */
export function ofDomain(hostname: string): Prisma.Sql {
  return sql`p.id IN (SELECT d.project_id FROM pages_domains d
    WHERE d.domain = ${hostname} AND d.verified_at IS NOT NULL AND d.enabled_until > now())`;
}

/** Whether a deployment is served. */
export const SERVED = sql`d.deleted_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > now())`;

async function read(db: Db, which: Prisma.Sql): Promise<Omit<Site, 'base'>[]> {
  const found = await db.$queryRaw<(Omit<Site, 'base' | 'parts'> & { parts: SitePart[] | null })[]>(
    sql`SELECT p.id AS "projectId", n.full_path || '/' || p.path AS "fullPath", p.visibility::text AS visibility,
        p.pages_access::text AS access, COALESCE(s.https_only, true) AS "httpsOnly",
        CASE WHEN s.unique_domain_enabled THEN s.unique_domain END AS "uniqueDomain",
        (SELECT d.domain FROM pages_domains d WHERE d.project_id = p.id AND d.domain = s.primary_domain
          AND d.verified_at IS NOT NULL AND d.enabled_until > now()) AS "primaryDomain",
        (SELECT json_agg(json_build_object('projectId', p.id, 'secret', d.secret, 'pathPrefix', d.path_prefix,
          'indexSize', d.index_size, 'createdAt', d.created_at)) FROM pages_deployments d WHERE d.project_id = p.id AND ${SERVED}) AS parts
      FROM projects p JOIN namespaces n ON n.id = p.namespace_id LEFT JOIN pages_settings s ON s.project_id = p.id
      WHERE p.deleted_at IS NULL AND p.pages_access <> 'disabled' AND ${which}`,
  );
  return found.flatMap(({ parts, ...site }) => (parts ? [{ ...site, parts }] : []));
}
