import type { Request } from 'express';
import { isGitPath } from '#src/entrances/web/git_remote.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in logs, in `X-Request-Id` and in reports of unexpected errors. */
    id: string;
    /** The template of the route below /api/v4 that answers it. */
    routeTemplate?: string;
    /** Who asks, once that is known. */
    callerId?: number | undefined;
  }
}

/** Notes which route of the REST API answers a request. */
export function noteRoute(request: object, path: string): void {
  (request as Request).routeTemplate = `/api/v4${path}`;
}

/** Notes who asks. */
export function noteCaller(request: object, actor: { id: number } | null): void {
  if (actor) (request as Request).callerId = actor.id;
}

/** The services of the git remote (gitprotocol-http). */
const GIT = /\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** The methods that have a name of their own in metrics; clients may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method of a request; one that nobody serves has no name. */
export function methodOf({ method }: Request): string {
  return METHODS.has(method) ? method : 'other';
}

/**
 * The template of the route that answered a request, never its path: there are as many as there are routes, whatever clients
 * ask for. `other` for what is nowhere.
 */
export function templateOf(request: Request): string {
  if (request.routeTemplate !== undefined) return request.routeTemplate;
  const [path = ''] = request.originalUrl.split('?');
  if (path.startsWith('/api/v4')) return '/api/v4/other';
  if (/^\/(api\/)?graphql(\/|$)/.test(path)) return '/graphql';
  if (isGitPath(path)) return `git ${GIT.exec(path)?.[1] ?? 'other'}`;
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : 'other';
}
