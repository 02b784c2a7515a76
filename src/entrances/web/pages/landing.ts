import { type CookieName, clearCookie, setCookie } from '#pages/engine/cookies.ts';
import { text } from '#pages/engine/fields.ts';
import type { Visit } from '#pages/engine/visit.ts';

/** Milliseconds for which the browser keeps the token of a link. */
const KEPT = 60 * 60_000;

/**
 * Moves the token of a mailed link from the URL into a cookie before anything is shown, so that it is in no history, no log of
 * another server and no `Referer`. Nothing happens until a form is sent, as mail scanners follow links, too.
 */
export function landing(cookie: CookieName, show: (visit: Visit) => Promise<void>): (visit: Visit) => Promise<void> {
  return async (visit) => {
    const { request, response, secure } = visit;
    if (request.query.token === undefined) return show(visit);
    const token = text(request.query.token);
    if (/^[\w-]{43}$/.test(token)) setCookie(response, cookie, token, { secure, maxAge: KEPT });
    else clearCookie(response, cookie, secure);
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(303, request.path);
  };
}
