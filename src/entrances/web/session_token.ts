import type { Request } from 'express';
import { readCookie } from '#src/entrances/web/pages/cookies.ts';

/** URL of the server, without a trailing slash; worked out for requests that carry a cookie alone. */
type BaseUrl = (request: Request) => string;

/** The token of the browser's session, for requests that only read; the API takes no other from it (behaviour.md 4.1). */
export function sessionForReads(request: Request, baseUrl: BaseUrl): string | undefined {
  return ['GET', 'HEAD'].includes(request.method) ? sessionToken(request, baseUrl) : undefined;
}

/** The token of the browser's session, for requests that pages of this very server send; GraphiQL is such a page. */
export function sessionForOwnPages(request: Request, baseUrl: BaseUrl): string | undefined {
  const { origin, 'sec-fetch-site': site, cookie } = request.headers;
  if (cookie === undefined) return undefined;
  if (site !== undefined && site !== 'same-origin') return undefined;
  if (origin !== undefined && origin !== new URL(baseUrl(request)).origin) return undefined;
  if (site === undefined && origin === undefined) return undefined;
  return sessionToken(request, baseUrl);
}

/** The token of the browser's session, wherever it came from. */
export function sessionToken(request: Request, baseUrl: BaseUrl): string | undefined {
  if (request.headers.cookie === undefined) return undefined;
  return readCookie(request, 'gantry_session', baseUrl(request).startsWith('https:'));
}
