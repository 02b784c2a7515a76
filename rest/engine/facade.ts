import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionResult, type GraphQLSchema, isNonNullType } from 'graphql';
import { coerce, Unusable } from '#rest/engine/coerce.ts';
import { compile, type Endpoint } from '#rest/engine/compile.ts';
import { refusal, refusalOf } from '#rest/engine/errors.ts';
import { PAGINATION_HEADERS, type PageParameters, pageParameters, paginationHeaders } from '#rest/engine/paginate.ts';
import { BadBody, bodyParameters, queryParameters } from '#rest/engine/parameters.ts';
import type { Route } from '#rest/engine/route.ts';
import { Router } from '#rest/engine/router.ts';
import { DomainError } from '#src/errors.ts';

/** What the facade is handed by the composition root. `A` is who asks; null is anonymous. */
export interface FacadeOptions<A extends { admin: boolean }> {
  schema: GraphQLSchema;
  routes: readonly Route[];
  /** Throws DomainErrors. */
  authenticate(request: IncomingMessage, parameters: Record<string, unknown>): Promise<A | null>;
  /** Checks a route's up-front ability, on what `ref` names. Throws DomainErrors. */
  precheck(actor: A | null, ability: string, ref: unknown, request: IncomingMessage): Promise<void>;
  /** Runs an operation with the context and error masking that /graphql has. */
  execute(
    endpoint: Endpoint,
    variables: Record<string, unknown>,
    actor: A | null,
    request: IncomingMessage,
  ): Promise<ExecutionResult>;
  /** The external URL of the server for this request, without a trailing slash. */
  baseUrl(request: IncomingMessage): string;
  /** The document for GET /openapi.json. */
  openapi: object;
  logError(error: unknown, request: IncomingMessage): void;
}

/** The handler for everything below /api/v4. `path` is the rest of the path, still encoded; `query` what follows the `?`. */
export type Facade = (request: IncomingMessage, response: ServerResponse, path: string, query: string) => Promise<void>;

/** The REST API over the schema: each route runs one operation. */
export function createFacade<A extends { admin: boolean }>(options: FacadeOptions<A>): Facade {
  const router = new Router();
  for (const route of options.routes) router.add(compile(route, options.schema));
  const openapi = JSON.stringify(options.openapi);
  return async (request, response, path, query) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    response.setHeader('Vary', 'Origin');
    try {
      if (path === '/openapi.json' && request.method === 'GET') return send(response, 200, openapi, request);
      const match = router.find(path);
      if (!match) return refuse(response, 404, { error: '404 Not Found' });
      const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
      const endpoint = match.endpoints.get(method);
      if (!endpoint) return wrongVerb(request, response, [...match.endpoints.keys()]);
      if (!isRoute(endpoint, match.values)) return refuse(response, 404, { error: '404 Not Found' });
      await answer(options, endpoint, match.values, request, response, query);
    } catch (error) {
      if (error instanceof BadBody) return refuse(response, error.status, { error: error.message });
      const expected = error instanceof DomainError ? refusal(error.message, error.extensions) : null;
      if (expected) return refuse(response, expected.status, expected.body, expected.headers);
      options.logError(error, request);
      refuse(response, 500, { message: '500 Internal Server Error' });
    }
  };
}

const EXPOSED = PAGINATION_HEADERS.join(', ');

async function answer<A extends { admin: boolean }>(
  options: FacadeOptions<A>,
  endpoint: Endpoint,
  pathValues: string[],
  request: IncomingMessage,
  response: ServerResponse,
  query: string,
): Promise<void> {
  const { route } = endpoint;
  const given = renamed({ ...queryParameters(query), ...(await bodyParameters(request)) }, route.aliases);
  const actor = await options.authenticate(request, given);
  if (!actor && route.auth !== 'optional') return refuse(response, 401, { message: '401 Unauthorized' });
  if (route.precheck) await options.precheck(actor, route.precheck, refOf(endpoint, pathValues), request);
  const problems: string[] = [];
  const variables = readVariables(endpoint, pathValues, given, problems);
  const page = endpoint.paginated ? pageParameters(given, problems) : null;
  if (problems.length > 0) return refuse(response, 400, { error: [...new Set(problems)].join(', ') });
  if (page) Object.assign(variables, { limit: page.perPage, offset: (page.page - 1) * page.perPage });
  const caller = { signedIn: actor !== null, admin: actor?.admin ?? false };
  variables.signed_in = caller.signedIn;
  variables.administrator = caller.admin;
  for (const [name, derive] of Object.entries(route.derived ?? {})) variables[name] = derive(variables, caller);
  const baseUrl = options.baseUrl(request);
  const { data, errors } = await options.execute(endpoint, variables, actor, request);
  const [error] = errors ?? [];
  if (error) {
    const expected = refusalOf(error, route);
    const { movedTo } = error.extensions;
    if (expected && typeof movedTo === 'string' && request.method === 'GET') {
      response.setHeader('Location', movedUrl(endpoint, pathValues, movedTo, `${baseUrl}${pathOf(request)}`));
      return refuse(response, 301, expected.body);
    }
    if (expected) return refuse(response, expected.status, expected.body, expected.headers);
    return refuse(response, 500, { message: '500 Internal Server Error' });
  }
  const subtree = endpoint.resultPath.reduce((value: unknown, key) => (value as Record<string, unknown>)[key], data);
  respond(endpoint, subtree, page, request, response, `${baseUrl}${pathOf(request)}`);
}

/** Parameters with those under another name put where they belong; a parameter under its own name wins. */
function renamed(given: Record<string, unknown>, aliases: Route['aliases'] = {}): Record<string, unknown> {
  for (const [alias, name] of Object.entries(aliases)) {
    if (given[alias] !== undefined && given[name] === undefined) given[name] = given[alias];
  }
  return given;
}

/** The operation's variables from path and parameters; what is wrong is added to `problems` in their order. */
function readVariables(
  { route, parameters }: Endpoint,
  pathValues: string[],
  given: Record<string, unknown>,
  problems: string[],
): Record<string, unknown> {
  const inPath = new Map(pathNames(route).map((name, index) => [name, pathValues[index]]));
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { name, required } = parameter;
    const value = parameter.in === 'path' ? inPath.get(name) : given[name];
    try {
      const coerced = value === undefined ? undefined : coerce(value, parameter);
      const absent = coerced === undefined || (coerced === null && isNonNullType(parameter.type));
      if (!absent) variables[name] = coerced;
      else if (required) problems.push(`${name} is ${value === undefined ? 'missing' : 'invalid'}`);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems.push(`${name} ${error.message}`);
    }
  }
  const { atLeastOne, allOrNone } = route;
  if (atLeastOne && !atLeastOne.some((name) => given[name] !== undefined)) {
    problems.push(`${atLeastOne.join(', ')} are missing, at least one parameter must be provided`);
  }
  const present = allOrNone?.filter((name) => given[name] !== undefined).length ?? 0;
  if (allOrNone && present > 0 && present < allOrNone.length) {
    problems.push(`${allOrNone.join(', ')} provide all or none of parameters`);
  }
  return variables;
}

function respond(
  { route, render, status, paginated }: Endpoint,
  result: unknown,
  page: PageParameters | null,
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
): void {
  if (status === 204) return void response.writeHead(204).end();
  const subtree = route.body ?? result;
  if (subtree == null && route.method === 'DELETE')
    return void response.writeHead(status, { 'Content-Length': 0 }).end();
  const { nodes, totalCount } = (paginated ? subtree : {}) as { nodes?: unknown; totalCount?: number };
  const body = paginated ? nodes : subtree;
  render?.(body);
  if (route.omitNull) omitNulls(body, route.omitNull);
  if (page) {
    const headers = paginationHeaders(page, totalCount ?? 0, new URL(url));
    for (const name of PAGINATION_HEADERS) response.setHeader(name, headers[name] ?? '');
  }
  send(response, status, JSON.stringify(body), request);
}

/** Deletes the keys from the record, or from each record of an array, where their value is null. */
function omitNulls(body: unknown, keys: readonly string[]): void {
  for (const record of Array.isArray(body) ? body : [body]) {
    for (const key of keys) {
      const dot = key.indexOf('.');
      if (dot > 0) omitNulls(record[key.slice(0, dot)], [key.slice(dot + 1)]);
      else if (record[key] === null) delete record[key];
    }
  }
}

/** Sends JSON; a GET whose ETag the client has is answered with 304. */
function send(response: ServerResponse, status: number, json: string, request: IncomingMessage): void {
  if (request.method === 'GET' || request.method === 'HEAD') {
    const etag = `W/"${createHash('sha1').update(json).digest('base64url')}"`;
    response.setHeader('ETag', etag);
    response.setHeader('Cache-Control', 'max-age=0, private, must-revalidate');
    if (matches(request.headers['if-none-match'], etag)) return void response.writeHead(304).end();
  }
  const body = Buffer.from(json);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function matches(header: string | undefined, etag: string): boolean {
  return (
    header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag.slice(2)) ?? false
  );
}

function wrongVerb(request: IncomingMessage, response: ServerResponse, methods: string[]): void {
  const allowed = [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].join(', ');
  response.setHeader('Allow', allowed);
  if (request.method !== 'OPTIONS') {
    refuse(response, 405, { error: '405 Not Allowed' });
    return;
  }
  const headers = request.headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Methods', allowed);
  if (headers) response.setHeader('Access-Control-Allow-Headers', headers);
  response.setHeader('Access-Control-Max-Age', '7200');
  response.writeHead(204).end();
}

function refuse(
  response: ServerResponse,
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.end();
  if (body === null) return void response.writeHead(status).end();
  if (status === 413) response.setHeader('Connection', 'close');
  const json = Buffer.from(JSON.stringify(body));
  const own = { 'Content-Type': 'application/json', 'Content-Length': json.length };
  response.writeHead(status, { ...headers, ...own }).end(json);
}

/** Whether the values of the path are such as the route's parameters take. */
function isRoute({ route }: Endpoint, values: string[]): boolean {
  if (!route.numeric) return true;
  const names = pathNames(route);
  return route.numeric.every((name) => /^\d+$/.test(values[names.indexOf(name)] ?? ''));
}

/** What `:id` names: a number or a full path. */
function refOf({ route }: Endpoint, values: string[]): unknown {
  const value = values[pathNames(route).indexOf('id')];
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** The URL of the request with the new full path of what `:id` names in its place. */
function movedUrl({ route }: Endpoint, values: string[], movedTo: string, url: string): string {
  const old = values[pathNames(route).indexOf('id')] ?? '';
  const collection = route.path.split('/').at(route.path.split('/').indexOf(':id') - 1);
  const target = new URL(url);
  const parts = target.pathname.split('/');
  const named = (part: string) => decodeURIComponent(part) === old;
  const at = parts.findIndex((part, index) => named(part) && parts.slice(0, index).findLast(Boolean) === collection);
  if (at >= 0) parts[at] = encodeURIComponent(movedTo);
  target.pathname = parts.join('/');
  for (const secret of ['private_token', 'access_token', 'bearer_token', 'sudo']) target.searchParams.delete(secret);
  return target.href;
}

function pathNames(route: Route): string[] {
  return route.path.match(/:(\w+)/g)?.map((name) => name.slice(1)) ?? [];
}

/** Path and query as the client sent them. */
function pathOf(request: IncomingMessage): string {
  const { originalUrl } = request as IncomingMessage & { originalUrl?: string };
  return originalUrl ?? request.url ?? '/';
}
