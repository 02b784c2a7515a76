import type { IncomingMessage } from 'node:http';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { decodedUri } from '#src/base/text.ts';
import {
  ensureRepository,
  findRepository,
  type ImageAction,
  type ImageRepository,
  openName,
} from '#src/domain/container_registry/access.ts';
import { deleteBlob, findBlob, mountBlob, readBlob } from '#src/domain/container_registry/blobs.ts';
import { referrersOf, tagNames } from '#src/domain/container_registry/discover.ts';
import { REGISTRY_STATUS, RegistryError } from '#src/domain/container_registry/errors.ts';
import { MAX_MANIFEST_BYTES, OCI_INDEX } from '#src/domain/container_registry/manifest.ts';
import {
  deleteManifest,
  findManifest,
  manifestContent,
  putManifest,
} from '#src/domain/container_registry/manifests.ts';
import { isDigest, referenceOf, requireDigest } from '#src/domain/container_registry/names.ts';
import {
  type Grant,
  identifyRegistryCaller,
  issueRegistryToken,
  openRegistryToken,
  REGISTRY_SERVICE,
  scopesIn,
} from '#src/domain/container_registry/token.ts';
import {
  appendPart,
  beginUpload,
  cancelUpload,
  findUpload,
  finishUpload,
  type IncomingPart,
  removeUploads,
  type UploadRow,
} from '#src/domain/container_registry/uploads.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { failureOf, isExpected } from '#src/domain/repository/remote/failure.ts';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';
import {
  DomainError,
  Forbidden,
  HTTP_STATUS,
  InsufficientScope,
  NotFound,
  Unauthenticated,
} from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

export interface ContainerRegistryOptions {
  contextOf(actor: Context['actor'], request: IncomingMessage): Context;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: IncomingMessage): string;
  /** Sends content, or the part of it that the request wants. */
  sendContent(content: RawContent, request: Request, response: Response): Promise<void>;
  report(error: unknown, request?: Request): void;
}

/** How many bodies arrive, and blobs are sent, at a time, in all and of one caller: clients push and pull several layers at once. */
const TRANSFER_CONCURRENCY = { concurrency: 30, perCaller: 8, waitingPerCaller: 50, waiting: 300, patience: 60_000 };
const DELIVERIES = {
  concurrency: 60,
  perCaller: 12,
  anonymous: 40,
  waitingPerCaller: 100,
  waiting: 600,
  patience: 60_000,
};
/** Milliseconds that a body may take to arrive, and for which nothing of it may arrive. */
const BODY_TIMEOUTS_MS = { total: 2 * 60 * 60_000, silence: 60_000 };
/** How many tags one answer has at most. */
const MAX_TAGS = 1_000;

const arrivals = new CallerSemaphore(TRANSFER_CONCURRENCY);
const deliveries = new CallerSemaphore(DELIVERIES);

/** What stands behind the name of a repository, which may itself contain these words. */
const ROUTES = [
  { kind: 'uploads', pattern: /^\/v2\/(.+)\/blobs\/uploads\/?$/ },
  { kind: 'upload', pattern: /^\/v2\/(.+)\/blobs\/uploads\/([0-9a-f]{32})$/ },
  { kind: 'blob', pattern: /^\/v2\/(.+)\/blobs\/([^/]+)$/ },
  { kind: 'manifest', pattern: /^\/v2\/(.+)\/manifests\/([^/]+)$/ },
  { kind: 'tags', pattern: /^\/v2\/(.+)\/tags\/list$/ },
  { kind: 'referrers', pattern: /^\/v2\/(.+)\/referrers\/([^/]+)$/ },
] as const;

type Kind = (typeof ROUTES)[number]['kind'];

/** Whether the body at this path may take as long as a layer of an image. */
export function isContainerUploadPath(path: string): boolean {
  return /^\/v2\/.+\/blobs\/uploads(?:\/|$)/.test(path);
}

/** The container registry: the OCI distribution API at `/v2/`, and the tokens that it asks for at `/jwt/auth`. */
export function containerRegistry(options: ContainerRegistryOptions): Router {
  const serve = (answer: (call: Call) => Promise<void>): RequestHandler => {
    return async (request, response) => {
      const { searchParams: query } = new URL(request.url, 'http://localhost');
      const call: Call = { options, request, response, query, wanted: [] };
      try {
        await answer(call);
      } catch (error) {
        fail(call, error);
      }
    };
  };
  const router = Router();
  router.all('/jwt/auth', serve(giveToken));
  router.use((request, response, next) => {
    if (request.path !== '/v2' && !request.path.startsWith('/v2/')) return next();
    response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
    return serve(answer)(request, response, next);
  });
  return router;
}

interface Call {
  options: ContainerRegistryOptions;
  request: Request;
  response: Response;
  query: URLSearchParams;
  /** What the request does, for the challenge to authenticate. */
  wanted: Grant[];
}

/** Gives a token for what the caller may do of what it asks for. */
async function giveToken({ options, request, response, query }: Call): Promise<void> {
  if (request.method !== 'GET')
    return void response.set('Allow', 'GET').status(405).json(errorBody('UNSUPPORTED', 'Only GET is supported'));
  if (query.get('service') !== REGISTRY_SERVICE) {
    return void response.status(400).json(errorBody('UNSUPPORTED', `service must be ${REGISTRY_SERVICE}`));
  }
  const scopes = scopesIn(query.getAll('scope'));
  const { actor, proof } = await identifyRegistryCaller(options.contextOf(null, request), request.headers);
  const context = options.contextOf(actor, request);
  const { token, seconds, issuedAt } = await issueRegistryToken(context, proof, {
    scopes,
    issuer: options.baseUrl(request),
  });
  response.set('Cache-Control', 'no-store');
  response.json({ token, access_token: token, expires_in: seconds, issued_at: issuedAt.toISOString() });
}

async function answer(call: Call): Promise<void> {
  const { request, response } = call;
  if (/^\/v2\/?$/.test(request.path)) {
    await requireToken(call);
    return void response.json({});
  }
  for (const { kind, pattern } of ROUTES) {
    const [, name, detail = ''] = pattern.exec(request.path) ?? [];
    if (name === undefined) continue;
    const handler = HANDLERS[kind][request.method as Method];
    if (handler) return handler(call, decodedUri(name) ?? '', decodedUri(detail) ?? '');
    const methods = Object.keys(HANDLERS[kind]).join(', ');
    return void response
      .set('Allow', methods)
      .status(405)
      .json(errorBody('UNSUPPORTED', 'The method is not supported'));
  }
  response.status(404).json(errorBody('UNSUPPORTED', 'There is nothing here'));
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Handler = (call: Call, name: string, detail: string) => Promise<void>;

const HANDLERS: Record<Kind, Partial<Record<Method, Handler>>> = {
  uploads: { POST: startUpload },
  upload: { GET: tellUpload, PATCH: takePart, PUT: endUpload, DELETE: dropUpload },
  blob: { GET: sendBlob, HEAD: sendBlob, DELETE: dropBlob },
  manifest: { GET: sendManifest, HEAD: sendManifest, PUT: takeManifest, DELETE: dropManifest },
  tags: { GET: sendTags },
  referrers: { GET: sendReferrers },
};

/** The token of the request; null without any. Throws Unauthenticated. */
async function openToken({ options, request }: Call) {
  const { authorization } = request.headers;
  if (authorization === undefined) return null;
  const [, token] = /^bearer\s+(\S+)\s*$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Unauthenticated('Get a token where the challenge says.');
  return openRegistryToken(options.contextOf(null, request), token);
}

/** Throws Unauthenticated unless the request has a token, which clients thereby learn to get. */
async function requireToken(call: Call): Promise<void> {
  if (!(await openToken(call))) throw new Unauthenticated();
}

interface Opened {
  context: Context;
  repository: ImageRepository;
}

/**
 * The repository, for a caller who may do this with it and whose token says so. What is public needs no token. Throws RegistryError,
 * Unauthenticated, Forbidden.
 */
async function open(call: Call, name: string, action: ImageAction): Promise<Opened> {
  const { options, request } = call;
  call.wanted.push({ name, actions: action === 'push' ? ['pull', 'push'] : [action] });
  const token = await openToken(call);
  const context = options.contextOf(token?.actor ?? null, request);
  const image = await openName(context, name, action);
  const isGranted = token === null || isGrantedBy(token.grants, name, action);
  // The client gets another token, and comes again.
  if (!isGranted) throw new Unauthenticated('The token is for something else.');
  const repository = await (action === 'push' ? ensureRepository(context, image) : findRepository(context, image));
  return { context, repository };
}

function isGrantedBy(grants: readonly Grant[], name: string, action: ImageAction): boolean {
  return grants.some((grant) => grant.name === name && grant.actions.includes(action));
}

async function startUpload(call: Call, name: string): Promise<void> {
  const { response, query } = call;
  const mount = query.get('mount');
  const from = query.get('from');
  if (mount !== null && from !== null) call.wanted.push({ name: from, actions: ['pull'] });
  const opened = await open(call, name, 'push');
  if (isDigest(mount) && from !== null && (await mounted(call, opened, { digest: mount, from }))) {
    return created(response, name, mount);
  }
  const digest = query.get('digest');
  const wanted = digest === null ? null : requireDigest(digest);
  const upload = await beginUpload(opened.context, opened.repository);
  if (wanted === null) return tell(response, name, upload, 202);
  try {
    await receive(call, opened, (part) =>
      finishUpload(opened.context, opened.repository, upload.id, { digest: wanted, part }),
    );
  } catch (error) {
    // Nobody was told of the upload.
    await removeUploads(opened.context, [upload.id]);
    throw error;
  }
  created(response, name, wanted);
}

/** Takes a blob over from another repository, if the caller and the token may read it there. Returns whether it did. */
async function mounted(
  call: Call,
  { context, repository }: Opened,
  { digest, from }: { digest: string; from: string },
): Promise<boolean> {
  const token = await openToken(call);
  if (token && !isGrantedBy(token.grants, from, 'pull')) return false;
  try {
    const source = await findRepository(context, await openName(context, from, 'pull'));
    await mountBlob(context, repository, source, digest);
    return true;
  } catch (error) {
    if (error instanceof RegistryError || error instanceof Unauthenticated || error instanceof Forbidden) return false;
    throw error;
  }
}

function created(response: Response, name: string, digest: string): void {
  response
    .set({ Location: `/v2/${name}/blobs/${digest}`, 'Docker-Content-Digest': digest })
    .status(201)
    .end();
}

/** Tells how far an upload is. */
function tell(response: Response, name: string, { id, size }: UploadRow, status: number): void {
  response.set({
    Location: `/v2/${name}/blobs/uploads/${id}`,
    'Docker-Upload-UUID': id,
    Range: `0-${Math.max(0, size - 1)}`,
  });
  response.status(status).end();
}

async function tellUpload(call: Call, name: string, id: string): Promise<void> {
  const { context, repository } = await open(call, name, 'push');
  tell(call.response, name, await findUpload(context, repository, id), 204);
}

async function takePart(call: Call, name: string, id: string): Promise<void> {
  const opened = await open(call, name, 'push');
  const { context, repository } = opened;
  try {
    const upload = await receive(call, opened, (part) => appendPart(context, repository, id, part));
    tell(call.response, name, upload, 202);
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'RANGE_INVALID') throw error;
    const { size } = await findUpload(context, repository, id);
    call.response.set({ Location: `/v2/${name}/blobs/uploads/${id}`, Range: `0-${Math.max(0, size - 1)}` });
    throw error;
  }
}

async function endUpload(call: Call, name: string, id: string): Promise<void> {
  const digest = requireDigest(call.query.get('digest') ?? undefined);
  const opened = await open(call, name, 'push');
  const { context, repository } = opened;
  await receive(call, opened, (part) => finishUpload(context, repository, id, { digest, part }));
  created(call.response, name, digest);
}

async function dropUpload(call: Call, name: string, id: string): Promise<void> {
  const { context, repository } = await open(call, name, 'push');
  await cancelUpload(context, repository, id);
  call.response.status(204).end();
}

/** Does something with the body of a request, when it is the caller's turn. */
async function receive<T>(
  { request }: Call,
  { context }: Opened,
  take: (part: IncomingPart) => Promise<T>,
): Promise<T> {
  const part = partOf(request);
  return arrivals.run(callerOf(context.actor, context.clientAddress), async () => {
    endSilentBody(request, BODY_TIMEOUTS_MS);
    return take(part);
  });
}

/** The body of a request as a part of a blob. Throws RegistryError if its headers contradict each other. */
function partOf(request: Request): IncomingPart {
  const { 'content-length': given, 'content-range': range, 'transfer-encoding': encoding } = request.headers;
  const length = given !== undefined ? Number(given) : encoding === undefined ? 0 : null;
  // The request stays open if reading stops early, so that the client can be told why.
  const content = request.iterator({ destroyOnReturn: false });
  if (range === undefined) return { content, length, start: null };
  const [, first, last] = /^(?:bytes )?(\d{1,15})-(\d{1,15})(?:\/.*)?$/.exec(range) ?? [];
  if (first === undefined || last === undefined) {
    throw new RegistryError('RANGE_INVALID', 'Content-Range is the first and the last byte of the part');
  }
  const size = Number(last) - Number(first) + 1;
  if (size !== (length ?? size)) throw new RegistryError('SIZE_INVALID', 'Content-Range is not as long as the content');
  return { content, length: size, start: Number(first) };
}

async function sendBlob(call: Call, name: string, digest: string): Promise<void> {
  const { options, request, response } = call;
  const wanted = requireDigest(digest);
  const { context, repository } = await open(call, name, 'pull');
  const caller = callerOf(context.actor, context.clientAddress);
  const release = await deliveries.take(caller, { isAnonymous: context.actor === null });
  try {
    const blob = await findBlob(context, repository, wanted);
    await options.sendContent(await readBlob(context, blob), request, response);
  } finally {
    release();
  }
}

async function dropBlob(call: Call, name: string, digest: string): Promise<void> {
  const wanted = requireDigest(digest);
  const { context, repository } = await open(call, name, 'delete');
  await deleteBlob(context, repository, wanted);
  call.response.status(202).end();
}

async function sendManifest(call: Call, name: string, detail: string): Promise<void> {
  const { request, response } = call;
  const reference = referenceOf(detail);
  const { context, repository } = await open(call, name, 'pull');
  const manifest = await findManifest(context, repository, reference);
  const { digest, mediaType, size } = manifest;
  const etag = `"${digest}"`;
  response.set({ 'Docker-Content-Digest': digest, ETag: etag, 'Cache-Control': 'private, no-transform' });
  if (request.headers['if-none-match'] === etag) return void response.status(304).end();
  response.set({ 'Content-Type': mediaType, 'Content-Length': String(size) }).status(200);
  if (request.method === 'HEAD') return void response.end();
  response.end(await manifestContent(context, manifest));
}

async function takeManifest(call: Call, name: string, detail: string): Promise<void> {
  const { request, response } = call;
  const reference = referenceOf(detail);
  const opened = await open(call, name, 'push');
  const content = await receive(call, opened, whole);
  const type = request.headers['content-type'] ?? '';
  const { digest, subjectDigest } = await putManifest(opened.context, opened.repository, reference, { content, type });
  response.set({ Location: `/v2/${name}/manifests/${digest}`, 'Docker-Content-Digest': digest });
  if (subjectDigest !== null) response.set('OCI-Subject', subjectDigest);
  response.status(201).end();
}

/** A small body. Throws RegistryError for one that is larger than manifests are. */
async function whole({ content }: IncomingPart): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > MAX_MANIFEST_BYTES)
      throw new RegistryError('TOO_LARGE', `A manifest has at most ${MAX_MANIFEST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function dropManifest(call: Call, name: string, detail: string): Promise<void> {
  const reference = referenceOf(detail);
  const { context, repository } = await open(call, name, 'delete');
  await deleteManifest(context, repository, reference);
  call.response.status(202).end();
}

async function sendTags(call: Call, name: string): Promise<void> {
  const { response, query } = call;
  const given = query.get('n');
  if (given !== null && !/^\d{1,9}$/.test(given)) {
    throw new RegistryError('PAGINATION_NUMBER_INVALID', 'n must be a number');
  }
  const { context, repository } = await open(call, name, 'pull');
  const limit = Math.min(Number(given ?? MAX_TAGS), MAX_TAGS);
  const after = (query.get('last') ?? '').replaceAll('\0', '');
  const { nodes, last } = await tagNames(context, repository, { limit, after });
  if (last !== null)
    response.links({ next: `/v2/${name}/tags/list?${new URLSearchParams({ n: String(limit), last })}` });
  response.json({ name, tags: nodes });
}

async function sendReferrers(call: Call, name: string, detail: string): Promise<void> {
  const { response, query } = call;
  const digest = requireDigest(detail);
  const { context, repository } = await open(call, name, 'pull');
  const artifactType = query.get('artifactType')?.replaceAll('\0', '') || null;
  const after = Number(/^\d{1,9}$/.exec(query.get('last') ?? '')?.[0] ?? 0);
  const { nodes, last } = await referrersOf(context, repository, { digest, artifactType, after });
  const filter = artifactType === null ? [] : [['artifactType', artifactType]];
  if (artifactType !== null) response.set('OCI-Filters-Applied', 'artifactType');
  if (last !== null) {
    const next = new URLSearchParams([...filter, ['last', String(last)]]);
    response.links({ next: `/v2/${name}/referrers/${digest}?${next}` });
  }
  const list = { schemaVersion: 2, mediaType: OCI_INDEX, manifests: nodes };
  response.set('Content-Type', OCI_INDEX).end(JSON.stringify(list));
}

function errorBody(code: string, message: string, detail?: object): object {
  return { errors: [{ code, message, ...(detail && { detail }) }] };
}

/** Answers with an error in the form of the specification. */
function fail(call: Call, thrown: unknown): void {
  const { options, request, response } = call;
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    const isRefusal = thrown instanceof DomainError || thrown instanceof RegistryError;
    if (!isRefusal && !isExpected(thrown)) options.report(thrown, request);
    return void response.destroy();
  }
  for (const name of ['Content-Length', 'Content-Type', 'ETag']) response.removeHeader(name);
  const { status, code, message, detail } = answerTo(call, thrown);
  if (status === 401) response.set('WWW-Authenticate', challenge(call));
  response.status(status).json(errorBody(code, message, detail));
}

interface Answer {
  status: number;
  code: string;
  message: string;
  detail?: object;
}

function answerTo({ options, request, response }: Call, thrown: unknown): Answer {
  if (thrown instanceof RegistryError) {
    const { code, message, detail } = thrown;
    // The specification has no code of its own for what is too large.
    return { status: REGISTRY_STATUS[code], code: code === 'TOO_LARGE' ? 'SIZE_INVALID' : code, message, detail };
  }
  if (isBrokenOff(thrown)) {
    return { status: 400, code: 'SIZE_INVALID', message: 'The body ended before all of it had come' };
  }
  const { error, isOurs } = failureOf(thrown);
  if (!(error instanceof DomainError)) {
    if (isOurs) options.report(thrown, request);
    return { status: 500, code: 'UNKNOWN', message: 'Something went wrong on the server' };
  }
  const { retryAfter } = error.extensions;
  if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
  return { status: HTTP_STATUS[error.code], code: codeOf(error), message: error.message };
}

function codeOf(error: DomainError): string {
  if (error instanceof Unauthenticated) return 'UNAUTHORIZED';
  if (error instanceof NotFound) return 'BLOB_UNKNOWN';
  if (error instanceof Forbidden || error instanceof InsufficientScope || error.code === 'LIMIT_REACHED')
    return 'DENIED';
  return error.code === 'RATE_LIMITED' || error.code === 'UNAVAILABLE' ? 'TOOMANYREQUESTS' : 'UNSUPPORTED';
}

/** Where to get a token, and for what. */
function challenge({ options, request, wanted }: Call): string {
  if (request.path === '/jwt/auth') return 'Basic realm="GitLab"';
  const realm = `realm="${options.baseUrl(request)}/jwt/auth",service="${REGISTRY_SERVICE}"`;
  if (wanted.length === 0) return `Bearer ${realm}`;
  const scopes = wanted.map(({ name, actions }) => `repository:${name.replace(/[^\w./-]/g, '')}:${actions.join(',')}`);
  return `Bearer ${realm},scope="${scopes.join(' ')}"`;
}
