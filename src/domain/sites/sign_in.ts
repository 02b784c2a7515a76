import { issueSiteCode } from '#src/access/credentials/sessions/site.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { labelOf, ofDomain } from '#src/domain/sites/find.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** Where browsers sign in for a site, at the server, and where they come back to, at the host of the site. */
export const SIGN_IN_PATH = '/-/pages/auth';
export const SESSION_PATH = '/-/pages/session';

/** A host with sites: its name with the port, as browsers name it. */
const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$/;

/** What a browser asks for that comes from a site to sign in. */
export interface SiteSignIn {
  host: string;
  /** Where it was, with a query perhaps. */
  path: string;
  /** What the browser proves with that it began this itself. */
  state: string;
}

/** The address at the server that signs a browser in for a site. */
export function signInUrl({ serverUrl }: SiteSettings, { host, path, state }: SiteSignIn): string {
  return `${serverUrl}${SIGN_IN_PATH}?${new URLSearchParams({ host, path, state })}`;
}

/**
 * The address at the host of a site to which a browser goes that is signed in at the server, with a code that works once. Throws NotFound for a host
 * that no site can have.
 */
export async function passSessionOn({ db, sites }: Context, sessionId: number, wanted: SiteSignIn): Promise<string> {
  if (!sites || !(await isSiteHost(db, sites, wanted.host))) throw new NotFound('Site');
  const code = await issueSiteCode(db, sessionId, wanted.host);
  const query = new URLSearchParams({ code, state: wanted.state, path: wanted.path });
  return `${sites.scheme}://${wanted.host}${SESSION_PATH}?${query}`;
}

/** The address of the site for which a path of the server signs in; null for other paths. */
export async function siteUrlAt({ db, sites }: Pick<Context, 'db' | 'sites'>, path: unknown): Promise<string | null> {
  if (!sites || typeof path !== 'string' || !path.startsWith(`${SIGN_IN_PATH}?`)) return null;
  const host = new URLSearchParams(path.slice(SIGN_IN_PATH.length)).get('host') ?? '';
  return (await isSiteHost(db, sites, host)) ? `${sites.scheme}://${host}/` : null;
}

/** Whether sites can be at a host: below that of all sites at its port, or at a domain that was proved. */
async function isSiteHost(db: Db, sites: SiteSettings, host: string): Promise<boolean> {
  if (!HOST.test(host)) return false;
  if (host.endsWith(`.${sites.host}`)) return true;
  const hostname = host.replace(/:\d+$/, '');
  const port = /:\d+$/.exec(sites.host)?.[0] ?? '';
  if (labelOf(sites, hostname) !== null || host !== hostname + port) return false;
  const found = await queryRows<{ id: number }>(
    db,
    sql`SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND ${ofDomain(hostname)} LIMIT 1`,
  );
  return found.length > 0;
}

/** A path of a site to go back to; its root for what leads elsewhere. */
export function safePath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out, and see another address
  return /^\/(?![/\\])[^\u0000-\u0020\\]*$/.test(path) ? path : '/';
}
