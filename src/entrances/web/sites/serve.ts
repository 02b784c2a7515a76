import type { Request, RequestHandler, Response } from 'express';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { siteUrl } from '#src/domain/projects/site_url.ts';
import { labelOf, type Site } from '#src/domain/sites/find.ts';
import { SiteReader } from '#src/domain/sites/read.ts';
import { redirectionOf } from '#src/domain/sites/redirects.ts';
import { type Resolved, resolvePath } from '#src/domain/sites/resolve.ts';
import { SESSION_PATH } from '#src/domain/sites/sign_in.ts';
import { mayVisitSite } from '#src/domain/sites/visit.ts';
import { SiteAddresses } from '#src/entrances/web/sites/addresses.ts';
import { redirect, sendFile, sendText } from '#src/entrances/web/sites/answer.ts';
import { askToSignIn, beginSession, nameOf, visitorOf } from '#src/entrances/web/sites/session.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { Db } from '#src/platform/database/db.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

export interface SitesOptions {
  db: Db;
  uploads: Context['uploads'];
  settings: SiteSettings;
  contextOf(actor: Actor | null, request: Request): Context;
  report(error: unknown, request: Request): void;
  /** Milliseconds for which it is remembered what is at an address of a site that is open to everybody. */
  memory?: number | undefined;
}

/** Serves the sites of projects at their hosts; requests to other hosts, the server's own first of all, go to the next handler. */
export function serveSites(options: SitesOptions): RequestHandler {
  const { settings, report } = options;
  const visits = new SiteVisits(options);
  return (request, response, next) => {
    const hostname = nameOf(request);
    if (hostname === settings.serverHostname || !isName(hostname)) return next();
    visits.answer(hostname, request, response).then(
      (isSite) => isSite || next(),
      (error) => fail(error, request, response, report),
    );
  };
}

/** Whether a host has a name of several parts, as all sites have; addresses of machines are the server's. */
function isName(hostname: string): boolean {
  return hostname.includes('.') && !/^[\d.]+$/.test(hostname) && !hostname.includes(':');
}

function fail(error: unknown, request: Request, response: Response, report: SitesOptions['report']): void {
  if (response.headersSent) return void response.destroy();
  const refusal = transientFailure(error)?.refusal;
  if (refusal) return void sendText(response, 503, 'This site is not available at the moment. Try again later.');
  report(error, request);
  sendText(response, 500, 'Something went wrong.');
}

class SiteVisits {
  readonly #options: SitesOptions;
  readonly #reader: SiteReader;
  readonly #addresses: SiteAddresses;

  constructor(options: SitesOptions) {
    const { db, settings, uploads, memory } = options;
    this.#options = options;
    this.#reader = new SiteReader({ uploads });
    this.#addresses = new SiteAddresses(db, settings, memory);
  }

  /** Answers a request to the host of a site; returns false for other hosts, which are not answered. */
  async answer(hostname: string, request: Request, response: Response): Promise<boolean> {
    const { db, settings } = this.#options;
    const isBelow = hostname === settings.hostname || labelOf(settings, hostname) !== null;
    const path = decoded(request.path);
    const found = path === null ? null : await this.#addresses.find(hostname, path);
    if (!isBelow && !found && !(await this.#addresses.isDomain(hostname))) return false;
    if (request.path === SESSION_PATH && request.method === 'GET') {
      await beginSession(db, settings, request, response);
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendText(response, 405, 'Sites can only be read.', { Allow: 'GET, HEAD' });
    } else if (path === null) sendText(response, 400, 'The address is not valid.');
    else await this.#visit(found, { hostname, path }, request, response);
    return true;
  }

  /** What is not there, and what is not for everybody, are alike to visitors: they sign in. */
  async #visit(
    found: { site: Site; isOpen: boolean } | null,
    at: { hostname: string; path: string },
    request: Request,
    response: Response,
  ): Promise<void> {
    const { db, settings, contextOf } = this.#options;
    if (found?.isOpen) return this.#serve(found, at, request, response);
    const actor = await visitorOf(db, settings, request);
    if (!actor) return askToSignIn(settings, request, response);
    const context = { ...contextOf(actor, request), actor };
    if (found && (await mayVisitSite(context, found.site))) return this.#serve(found, at, request, response);
    sendText(response, 404, 'There is no site at this address.');
  }

  async #serve(
    found: { site: Site; isOpen: boolean },
    { hostname, path }: { hostname: string; path: string },
    request: Request,
    response: Response,
  ): Promise<void> {
    const { site, isOpen } = found;
    const below = path.slice(site.base.length);
    const elsewhere = properAddress(this.#options.settings, site, { hostname, below }, request);
    if (elsewhere !== null) return redirect(response, 308, elsewhere);
    if (below === '') return redirect(response, 302, withSlash(request));
    const first = below.split('/', 2)[1] ?? '';
    const own = site.parts.find(({ pathPrefix }) => pathPrefix !== '' && pathPrefix === first);
    const part = own ?? site.parts.find(({ pathPrefix }) => pathPrefix === '');
    if (!part) return this.#missing(found, hostname, request, response);
    const inside = own ? below.slice(1 + own.pathPrefix.length) : below;
    if (inside === '') return redirect(response, 302, withSlash(request));
    const content = await this.#reader.content(part);
    const there = resolvePath(content.files, inside.slice(1));
    const send = ({ path: name, file }: Extract<Resolved, { type: 'file' }>, status: 200 | 404 = 200) =>
      sendFile(this.#reader, { part, content, path: name, file, isOpen, status }, request, response);
    if (there?.type === 'file') return send(there);
    if (there) return redirect(response, 302, withSlash(request));
    const rule = redirectionOf(content.rules, request.path);
    if (rule && rule.status !== 200) return redirect(response, rule.status, rule.to);
    const prefix = path.slice(0, path.length - inside.length);
    const target = rule && decoded(rule.to);
    if (target?.startsWith(`${prefix}/`)) {
      const inPlace = resolvePath(content.files, target.slice(prefix.length + 1));
      if (inPlace?.type === 'file') return send(inPlace);
    }
    const missing = content.files.get('404.html');
    if (missing) return send({ type: 'file', path: '404.html', file: missing }, 404);
    return this.#missing(found, hostname, request, response);
  }

  /** The page of the site at the root of the host for what is not there, if everybody may see it; a plain text without one. */
  async #missing({ site }: { site: Site }, hostname: string, request: Request, response: Response): Promise<void> {
    const root = site.base === '' ? null : await this.#addresses.find(hostname, '/');
    const part = root?.isOpen && root.site.parts.find(({ pathPrefix }) => pathPrefix === '');
    const content = part ? await this.#reader.content(part) : null;
    const file = content?.files.get('404.html');
    if (!part || !content || !file) return sendText(response, 404, 'There is nothing at this address.');
    return sendFile(
      this.#reader,
      { part, content, path: '404.html', file, isOpen: true, status: 404 },
      request,
      response,
    );
  }
}

/** The address at which the site wants to be visited, if it is another one; `below` is the path within the site. */
function properAddress(
  settings: SiteSettings,
  { primaryDomain, uniqueDomain, fullPath, httpsOnly }: Site,
  { hostname, below }: { hostname: string; below: string },
  request: Request,
): string | null {
  const { scheme } = settings;
  const port = /:\d+$/.exec(settings.host)?.[0] ?? '';
  const rest = below.split('/').map(encodeURIComponent).join('/') + queryOf(request);
  if (primaryDomain !== null && primaryDomain !== hostname) return `${scheme}://${primaryDomain}${port}${rest}`;
  const label = labelOf(settings, hostname);
  if (uniqueDomain !== null && label !== null && label !== uniqueDomain) {
    return `${siteUrl(settings, { fullPath, uniqueDomain })}${rest}`;
  }
  const isInsecure = scheme === 'https' && httpsOnly && request.protocol === 'http';
  return isInsecure ? `https://${hostname}${port}${ownPath(request)}${queryOf(request)}` : null;
}

function withSlash(request: Request): string {
  return `${ownPath(request)}/${queryOf(request)}`;
}

/** The path of a request as it was sent, which names no other host. */
function ownPath({ path }: Request): string {
  return path.replace(/^[/\\]+/, '/');
}

function queryOf({ originalUrl }: Request): string {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
}

/** The path of an address, decoded once and with single slashes; null for one that is not valid. */
function decoded(path: string): string | null {
  try {
    const text = decodeURIComponent(path);
    return text.includes('\0') ? null : text.replace(/\/{2,}/g, '/');
  } catch {
    return null;
  }
}
