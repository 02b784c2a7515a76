import { ofDomain, SERVED } from '#src/domain/sites/find.ts';
import { isOpen } from '#src/domain/sites/visit.ts';
import type { PagesAccess, Visibility } from '#src/generated/prisma/client.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/**
 * Whether a proxy may get a certificate for a host: one of a site that is open to everybody, or a domain that was proved and may have one. Nobody learns
 * of sites in this way that they cannot visit.
 */
export async function isKnownHost(db: Db, { hostname: host }: SiteSettings, hostname: string): Promise<boolean> {
  const label = hostname.endsWith(`.${host}`) ? hostname.slice(0, -host.length - 1) : null;
  if (label === null) {
    const found = await queryRows<{ id: number }>(
      db,
      sql`SELECT p.id FROM projects p JOIN pages_domains m ON m.project_id = p.id AND m.domain = ${hostname} AND m.auto_ssl_enabled
        WHERE p.deleted_at IS NULL AND p.pages_access <> 'disabled' AND ${ofDomain(hostname)} LIMIT 1`,
    );
    return found.length > 0;
  }
  const found = await queryRows<{ access: PagesAccess; visibility: Visibility }>(
    db,
    sql`SELECT DISTINCT p.pages_access::text AS access, p.visibility::text AS visibility
      FROM projects p JOIN namespaces n ON n.id = p.namespace_id LEFT JOIN pages_settings s ON s.project_id = p.id
      WHERE p.deleted_at IS NULL AND (s.unique_domain = ${label} OR n.lineage[1] = (SELECT t.id FROM namespaces t WHERE lower(t.full_path) = ${label}))
        AND EXISTS (SELECT 1 FROM pages_deployments d WHERE d.project_id = p.id AND ${SERVED})`,
  );
  for (const site of found) if (await isOpen(db, site)) return true;
  return false;
}
