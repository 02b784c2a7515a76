import type { Request } from 'express';
import { readCookie } from '#pages/engine/cookies.ts';

/** URL of the server, without a trailing slash; only computed for requests with a cookie. */
type BaseUrl = (request: Request) => string;

/** The session token of the browser, for requests that only read; the API accepts no other use of it (behaviour.md 4.1). */
export function sessionForReads(request: Request, baseUrl: BaseUrl): string | undefined {
  return ['GET', 'HEAD'].includes(request.method) ? sessionToken(request, baseUrl) : undefined;
}

/** The session token of the browser, for requests by pages of this server, such as GraphiQL. */
export function sessionForOwnPages(request: Request, baseUrl: BaseUrl): string | undefined {
  const { origin, 'sec-fetch-site': site, cookie } = request.headers;
  if (cookie === undefined) return undefined;
  if (site !== undefined && site !== 'same-origin') return undefined;
  if (origin !== undefined && origin !== new URL(baseUrl(request)).origin) return undefined;
  if (site === undefined && origin === undefined) return undefined;
  return sessionToken(request, baseUrl);
}

/** The session token of the browser, whatever the origin of the request. */
export function sessionToken(request: Request, baseUrl: BaseUrl): string | undefined {
  if (request.headers.cookie === undefined) return undefined;
  return readCookie(request, 'gantry_session', baseUrl(request).startsWith('https:'));
}
