import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { readBasic } from '#src/access/credentials/credentials.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, actorFor, type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { decodedUri } from '#src/base/text.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { RegistryPlace } from '#src/domain/packages/places.ts';
import { requireFitting, StoredContent } from '#src/domain/packages/receive.ts';
import { bearerOrUser } from '#src/domain/projects/bearer.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import type { Answer, Body, Call, PlaceKind, RegistryRoute } from '#src/entrances/web/packages/call.ts';
import { receiveBody } from '#src/entrances/web/receive_package.ts';
import { noteRoute } from '#src/entrances/web/request_facts.ts';
import { allowCompression } from '#src/platform/compressible.ts';
import { DomainError, HTTP_STATUS, NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

export interface RegistryOptions {
  db: Context['db'];
  contextOf(actor: Actor | null, request: IncomingMessage): Context;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: IncomingMessage): string;
  /** Finds the user by other credentials than tokens of jobs and deploy tokens. Throws Unauthenticated. */
  identify(request: IncomingMessage, parameters: Record<string, unknown>): Promise<Actor | null>;
  /** Counts the request; false if it is answered, as there were too many. */
  throttle(actor: Actor | null, request: IncomingMessage, response: Response): Promise<boolean>;
  /** Reads a form or JSON of at most so many bytes, with one possible SpooledFile. Throws errors with a `status`. */
  readForm(request: Request, bytes: number, file?: { name: string; bytes: number }): Promise<Record<string, unknown>>;
  /** Sends content, or the part of it that the request wants. */
  sendContent(content: RawContent, request: Request, response: Response): Promise<void>;
  report(error: unknown, request?: Request): void;
}

/** Bytes of the fields of a form, without its file. */
const MAX_FORM_BYTES = 1024 * 1024;
/** Indexes that are built at a time, and files that are sent, in all and for one caller. */
const DOCUMENTS = { concurrency: 8, perCaller: 2, anonymous: 4, waitingPerCaller: 50, waiting: 500, patience: 60_000 };
const DELIVERIES = { ...DOCUMENTS, concurrency: 60, perCaller: 12, anonymous: 40, waitingPerCaller: 100 };

const PREFIXES: Record<PlaceKind, string> = { project: '/projects/:id', group: '/groups/:id/-', server: '' };

/** A route with what its paths look like. */
interface Compiled {
  route: RegistryRoute;
  kind: PlaceKind;
  template: string;
  pattern: RegExp;
}

/** The template of a route in a place, below /api/v4. */
export function templateOf({ path }: Pick<RegistryRoute, 'path'>, kind: PlaceKind): string {
  return `${PREFIXES[kind]}${path}`;
}

/** Answers requests to the registries of packages below /api/v4; others go to the next handler. */
export function serveRegistries(routes: readonly RegistryRoute[], options: RegistryOptions): RequestHandler {
  const compiled = routes.flatMap((route) => route.at.map((kind) => compile(route, kind)));
  const documents = new CallerSemaphore(DOCUMENTS);
  const deliveries = new CallerSemaphore(DELIVERIES);
  return async (request, response, next) => {
    const there = isRegistryPath(request.path) ? compiled.filter(({ pattern }) => pattern.test(request.path)) : [];
    if (there.length === 0) return next();
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = there.find(({ route }) => route.method === method);
    if (!found) {
      const allowed = new Set(
        there.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])),
      );
      return void response
        .set('Allow', [...allowed].join(', '))
        .status(405)
        .json({ error: '405 Not Allowed' });
    }
    noteRoute(request, found.template);
    try {
      await answer({ documents, deliveries }, found, options, request, response);
    } catch (error) {
      fail(options, error, request, response);
    }
  };
}

/** Whether a path may be one of a registry: saves others the look at each route. */
function isRegistryPath(path: string): boolean {
  return path.includes('/packages/') || path.includes('/terraform/') || path.endsWith('/key.asc');
}

function compile(route: RegistryRoute, kind: PlaceKind): Compiled {
  const template = templateOf(route, kind);
  const source = template
    .replace(/[.+$()]/g, '\\$&')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace(/\*(\w+)/g, '(?<$1>.+)')
    // Composer's clients say `group`.
    .replace(/^\/groups\//, '/groups?/');
  return { route, kind, template, pattern: new RegExp(`^${source}/?$`) };
}

interface Turns {
  documents: CallerSemaphore;
  deliveries: CallerSemaphore;
}

async function answer(
  { documents, deliveries }: Turns,
  { route, kind, pattern }: Compiled,
  options: RegistryOptions,
  request: Request,
  response: Response,
): Promise<void> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(pattern.exec(request.path)?.groups ?? {}))
    params[name] = decodedUri(value)?.replaceAll('\0', '\uFFFD') ?? '';
  const place = placeOf(kind, params.id ?? '');
  const query = new URL(request.url, 'http://localhost').searchParams;
  const actor = await callerIn(options, request, query, place);
  if (!(await options.throttle(actor, request, response))) return;
  const context = options.contextOf(actorFor(actor, route.purpose ?? undefined), request);
  await requireAbility(context, place, route);
  const api = `${options.baseUrl(request)}/api/v4`;
  const base = `${api}${PREFIXES[kind].replace(':id', encodeURIComponent(params.id ?? ''))}`;
  const body = await bodyOf(options, route, context, place, request);
  const call: Call = { request, response, context, place, api, base, params, query, body };
  const caller = callerOf(actor, request.ip ?? null);
  try {
    const made = await documents.run(caller, () => route.answer(call));
    const { content } = made;
    if (!content) return void send(made, request, response);
    const release = await deliveries.take(caller, { isAnonymous: actor === null });
    response.set(made.headers ?? {});
    await options.sendContent(content, request, response).finally(release);
  } finally {
    await body.stored?.[Symbol.asyncDispose]();
    for (const value of Object.values(body.fields))
      if (value instanceof SpooledFile) await value[Symbol.asyncDispose]();
  }
}

function placeOf(kind: PlaceKind, id: string): RegistryPlace {
  const ref: IdOrPath = /^\d{1,9}$/.test(id) ? Number(id) : id;
  return kind === 'server' ? 'server' : kind === 'group' ? { group: ref } : { project: ref };
}

/**
 * Who asks, by a token in a header or as the password of Basic authentication, of NuGet's API key or of what RubyGems sends alone.
 * Throws Unauthenticated for one that is good for nothing.
 */
async function callerIn(
  { db, identify }: RegistryOptions,
  request: Request,
  query: URLSearchParams,
  place: RegistryPlace,
): Promise<Actor | null> {
  const { headers } = request;
  const { authorization } = headers;
  const alone = headers['x-nuget-apikey'] ?? (/^[\w.-]+$/.test(authorization ?? '') ? authorization : undefined);
  const password = readBasic(authorization)?.password || (typeof alone === 'string' ? alone : undefined);
  const given = Object.fromEntries(query);
  const parameters = password ? { private_token: password, ...given } : given;
  const sent = typeof alone === 'string' ? { ...headers, authorization: `Bearer ${alone}` } : headers;
  const project = place !== 'server' && 'project' in place ? place.project : undefined;
  const accepted = { jobToken: true, deployToken: true, project } as const;
  return bearerOrUser(db, { headers: sent, parameters, password }, accepted, () => identify(request, parameters));
}

/** Throws NotFound, Forbidden, Unauthenticated, InsufficientScope. */
async function requireAbility(context: Context, place: RegistryPlace, { ability }: RegistryRoute): Promise<void> {
  requireApiScope(context.actor);
  if (place === 'server' || !('project' in place)) return;
  authorize(context.actor, ability, await findProject(context, place.project));
}

/** Receives the body, as the route wants it. Throws DomainErrors, and errors with a `status`. */
async function bodyOf(
  options: RegistryOptions,
  { body }: RegistryRoute,
  context: Context,
  place: RegistryPlace,
  request: Request,
): Promise<Body> {
  const none = { fields: {}, bytes: Buffer.alloc(0) };
  if (!body) return none;
  if (context.actor === null) throw new Unauthenticated();
  return receiveBody(context, request, async (size) => {
    if ('bytes' in body) return { ...none, bytes: await readAtMost(request, body.bytes, () => tooLarge(body.bytes)) };
    if ('fields' in body) return { ...none, fields: await options.readForm(request, body.fields) };
    requireFitting(context, 'file' in body ? (size ?? 0) : 0);
    if ('form' in body) {
      const file = { name: body.form, bytes: context.repositories.limits.packageFileBytes };
      return { ...none, fields: await options.readForm(request, MAX_FORM_BYTES, file) };
    }
    const project = await findProject(context, place !== 'server' && 'project' in place ? place.project : 0);
    // The request stays open if reading stops early, so that the client can be told why.
    const content = request.iterator({ destroyOnReturn: false });
    return { ...none, stored: await StoredContent.receive(context, project.id, { name: body.file, size, content }) };
  });
}

function tooLarge(bytes: number): Error {
  return Object.assign(new Error(`The body has more than ${bytes} bytes`), { status: 413 });
}

/** Sends a text; 304 to a GET whose ETag the client has. */
function send({ status = 200, headers = {}, type, text }: Answer, request: Request, response: Response): void {
  response.set(headers);
  if (text === undefined) return void response.status(status).end();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  if (status === 200 && ['GET', 'HEAD'].includes(request.method)) {
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    response.set({ ETag: etag, 'Cache-Control': 'max-age=0, private, must-revalidate' });
    const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());
    if (known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag.slice(2)))
      return void response.writeHead(304).end();
  }
  allowCompression(response);
  response.set({ 'Content-Security-Policy': 'sandbox', 'Content-Type': type ?? 'text/plain; charset=utf-8' });
  response.writeHead(status, { 'Content-Length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** How clients of packages sign in: they send nothing before they are asked. */
const CHALLENGE = 'Basic realm="Gantry packages"';

function fail(options: RegistryOptions, thrown: unknown, request: Request, response: Response): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const known = thrown instanceof DomainError ? thrown : (transientFailure(thrown)?.refusal ?? null);
  const own = thrown instanceof Error ? (thrown as { status?: unknown }).status : undefined;
  for (const name of ['ETag', 'Content-Length', 'Content-Type']) response.removeHeader(name);
  if (known) return void refuse(known, request, response);
  if (typeof own === 'number' && own >= 400 && own < 500)
    return void response.status(own).json({ error: (thrown as Error).message });
  options.report(thrown, request);
  response.status(500).json({ message: '500 Internal Server Error' });
}

/**
 * To those who are not signed in, places that they cannot see are what they have to sign in for; and so is what a registry of several
 * projects lacks, as others may see it.
 */
function refuse(error: DomainError, request: Request, response: Response): void {
  const isOfOne = request.path.startsWith('/projects/') && !(error instanceof NotFound && error.resource === 'Project');
  const isHidden = request.callerId === undefined && error.code === 'NOT_FOUND' && !isOfOne;
  const status = isHidden ? 401 : HTTP_STATUS[error.code];
  const { retryAfter } = error.extensions;
  if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
  if (status === 401) response.set('WWW-Authenticate', CHALLENGE);
  const words: Record<number, string> = { 401: '401 Unauthorized', 404: '404 Not Found' };
  response.status(status).json({ message: words[status] ?? error.message });
}
