import type { CookieOptions, Request, Response } from 'express';

/**
 * The cookies of the pages: the session, the binding of forms to a browser, a sign-in's progress, the tokens of mailed links, what was just
 * done, and the messages that the reader hid. The last two are those of sites: the session there, and a sign-in that began there.
 */
export type CookieName =
  | 'gantry_session'
  | 'gantry_form'
  | 'gantry_sign_in'
  | 'gantry_link'
  | 'gantry_invitation'
  | 'gantry_notice'
  | 'gantry_dismissed'
  | 'gantry_site'
  | 'gantry_site_state';

/** The value of a cookie that this server set; undefined without one. */
export function readCookie(request: Pick<Request, 'headers'>, name: CookieName, secure: boolean): string | undefined {
  const wanted = nameOf(name, secure);
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const mark = part.indexOf('=');
    if (mark > 0 && part.slice(0, mark).trim() === wanted) return part.slice(mark + 1).trim();
  }
  return undefined;
}

/** Sets a cookie that scripts cannot read and that cross-site requests do not send; `maxAge` in milliseconds. */
export function setCookie(
  response: Response,
  name: CookieName,
  value: string,
  { secure, maxAge }: { secure: boolean; maxAge?: number },
): void {
  response.cookie(nameOf(name, secure), value, { ...options(secure), ...(maxAge === undefined ? {} : { maxAge }) });
}

export function clearCookie(response: Response, name: CookieName, secure: boolean): void {
  response.clearCookie(nameOf(name, secure), options(secure));
}

/** With this prefix, browsers restrict cookies to this host and to https. */
function nameOf(name: CookieName, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

function options(secure: boolean): CookieOptions {
  return { httpOnly: true, sameSite: 'lax', secure, path: '/' };
}
