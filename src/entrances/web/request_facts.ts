import type { Request } from 'express';
import { isGitPath } from '#src/entrances/web/git_remote.ts';

/** What a request to /graphql says of itself. */
export interface GraphQLFacts {
  operations: string[];
  client: string | undefined;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in logs, in `X-Request-Id` and in reports of unexpected errors. */
    id: string;
    /** The template of the route below /api/v4 that answers the request. */
    routeTemplate?: string;
    /** The caller's ID, once known. */
    callerId?: number | undefined;
    /** The names of the GraphQL operations that it sent, and of the program that sent them. */
    graphql?: GraphQLFacts;
  }
}

/** Records which route of the REST API answers a request. */
export function noteRoute(request: object, path: string): void {
  (request as Request).routeTemplate = `/api/v4${path}`;
}

/** Records the caller. */
export function noteCaller(request: object, actor: { id: number } | null): void {
  if (actor) (request as Request).callerId = actor.id;
}

/** Records an operation of a request to /graphql; null where it has no name, or the client does not say. */
export function noteGraphQL(request: object, operation: string | null, client: string | null): void {
  const known = (request as Request).graphql ?? { operations: [], client: undefined };
  if (operation !== null) known.operations.push(operation.slice(0, 100));
  (request as Request).graphql = { operations: known.operations, client: client ?? known.client };
}

/** The services of the git remote (gitprotocol-http). */
const GIT = /\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** The methods that metrics distinguish; clients may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method of a request for metrics; unknown ones share one name. */
export function methodOf({ method }: Request): string {
  return METHODS.has(method) ? method : 'other';
}

/** The template of the route that answered a request, so that there are few; never its path. `other` for unknown paths. */
export function templateOf(request: Request): string {
  if (request.routeTemplate !== undefined) return request.routeTemplate;
  const [path = ''] = request.originalUrl.split('?');
  if (path.startsWith('/api/v4')) return '/api/v4/other';
  if (/^\/(api\/)?graphql(\/|$)/.test(path)) return '/graphql';
  if (isGitPath(path)) return `git ${GIT.exec(path)?.[1] ?? 'other'}`;
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : 'other';
}
