import crypto from 'node:crypto';
import type { Request, Response } from 'express';
import { clearCookie, readCookie, setCookie } from '#pages/engine/cookies.ts';
import { findSessionOfSite } from '#src/access/credentials/sessions/session.ts';
import { startSiteSession } from '#src/access/credentials/sessions/site.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { safePath, signInUrl } from '#src/domain/sites/sign_in.ts';
import { redirect, sendText } from '#src/entrances/web/sites/answer.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How long a browser may take to sign in. */
const SIGN_IN_MS = 60 * 60_000;

/** Who is signed in at the host of a site; null for visitors. */
export async function visitorOf(db: Db, settings: SiteSettings, request: Request): Promise<Actor | null> {
  const token = readCookie(request, 'gantry_site', settings.scheme === 'https');
  const session = token === undefined ? null : await findSessionOfSite(db, token, hostOf(settings, request));
  return session && !session.mustSetUpTwoFactor ? session.actor : null;
}

/** Leads a browser to the server, to sign in for this host and come back. */
export function askToSignIn(settings: SiteSettings, request: Request, response: Response): void {
  const state = crypto.randomBytes(24).toString('base64url');
  setCookie(response, 'gantry_site_state', state, { secure: settings.scheme === 'https', maxAge: SIGN_IN_MS });
  const url = signInUrl(settings, { host: hostOf(settings, request), path: safePath(request.originalUrl), state });
  redirect(response, 302, url, 'no-store');
}

/** Makes the browser signed in that comes back with a code, if it began that itself. */
export async function beginSession(
  db: Db,
  settings: SiteSettings,
  request: Request,
  response: Response,
): Promise<void> {
  const secure = settings.scheme === 'https';
  const { code = '', state = '', path = '/' } = request.query as Record<string, string | undefined>;
  const kept = readCookie(request, 'gantry_site_state', secure);
  response.setHeader('Referrer-Policy', 'no-referrer');
  if (kept === undefined || kept !== state) {
    return sendText(
      response,
      400,
      'This sign-in was not begun in this browser, or cookies are turned off. Go back and try again.',
    );
  }
  clearCookie(response, 'gantry_site_state', secure);
  const token = await startSiteSession(db, code, hostOf(settings, request));
  if (token === null) return sendText(response, 400, 'This sign-in has expired. Go back and try again.');
  setCookie(response, 'gantry_site', token, { secure });
  redirect(response, 302, safePath(path), 'no-store');
}

/** The host of a request to a site, with the port that all have if it is not the usual one. */
function hostOf({ host }: SiteSettings, request: Request): string {
  return nameOf(request) + (/:\d+$/.exec(host)?.[0] ?? '');
}

/** The name of the host of a request. */
export function nameOf(request: Request): string {
  return (request.hostname ?? '').toLowerCase().replace(/\.$/, '');
}
