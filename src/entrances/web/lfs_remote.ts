import { pipeline } from 'node:stream/promises';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { readBasic } from '#src/access/credentials/credentials.ts';
import { type Actor, actorFor, type Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { decodedUri } from '#src/base/text.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  ASK,
  identifyRemote,
  openRemote,
  type RemoteRepository,
  type RemoteService,
} from '#src/domain/repository/access_remote.ts';
import { isLfsEnabled, type LfsName, presentObjects } from '#src/domain/repository/lfs_objects.ts';
import { openByKeyGrant } from '#src/domain/repository/remote/deploy_key.ts';
import { failureOf, isExpected } from '#src/domain/repository/remote/failure.ts';
import { proofOf, provenBy } from '#src/domain/repository/remote/proof.ts';
import { listLocks, lockFile, unlockFile } from '#src/domain/uploads/lfs/locks.ts';
import { isLfsOid, receiveLfsObject, requireLfsRoom } from '#src/domain/uploads/lfs/objects.ts';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import {
  isLfsToken,
  type LfsGrant,
  lfsTokenEnd,
  newLfsToken,
  readLfsToken,
  secondsLeft,
} from '#src/domain/uploads/lfs/token.ts';
import type { ByteRange } from '#src/domain/uploads/store.ts';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import { CHALLENGE, type GitRemoteOptions } from '#src/entrances/web/git_remote.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';
import { BadRequest, DomainError, Forbidden, HTTP_STATUS, NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

/** Bytes of the largest request other than an object, and objects that one may be about. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_OBJECTS = 1_000;
/** Milliseconds that an object may take to arrive, and for which nothing of it may arrive; and those of other requests. */
const OBJECT_TIMEOUTS_MS = { total: 2 * 60 * 60_000, silence: 60_000 };
const REQUEST_TIMEOUTS_MS = { total: 30_000, silence: 10_000 };
const TYPE = 'application/vnd.git-lfs+json';

const PATH = /^\/(.+)\.git\/info\/lfs\/(.+)$/;
const OBJECT = /^objects\/([0-9a-f]{64})(?:\/(\d{1,15}))?$/;

/** Whether an object comes or goes at this path, which may take long. */
export function isLfsObjectPath(path: string): boolean {
  return OBJECT.test(PATH.exec(path)?.[2] ?? '');
}

/** The API of Git LFS at `/<full path of a project>.git/info/lfs`: batches, basic transfers, verification and locks. */
export function lfsRemote(options: Omit<GitRemoteOptions, 'limits'>): Router {
  const serve: RequestHandler = async (request, response, next) => {
    const [, encoded, endpoint] = PATH.exec(request.path) ?? [];
    if (encoded === undefined || endpoint === undefined) return next();
    try {
      const call = { options, request, response, fullPath: decodedUri(encoded) ?? '\0' };
      const object = OBJECT.exec(endpoint);
      if (object?.[1] !== undefined) return await transfer(call, object[1], object[2]);
      await answer(call, endpoint);
    } catch (error) {
      fail(options, error, request, response);
    }
  };
  return Router().use(serve);
}

interface Call {
  options: Omit<GitRemoteOptions, 'limits'>;
  request: Request;
  response: Response;
  fullPath: string;
}

interface Opened extends Pick<LfsGrant, 'proof' | 'expires'> {
  context: Context;
  project: ProjectRow;
}

/** The project, for a caller with the credentials of git, or with a token that an earlier answer gave. Throws as openRemote. */
async function open(call: Call, service: RemoteService): Promise<Opened> {
  return (await identified(call))(service);
}

/** As `open`, for a caller who is identified once and opens the project for more than one purpose. */
async function identified({ options, request, fullPath }: Call): Promise<(service: RemoteService) => Promise<Opened>> {
  const { contextOf } = options;
  const nobody = contextOf(null, request);
  const { headers } = request;
  const password = readBasic(headers.authorization)?.password ?? '';
  const openFor = isLfsToken(password) ? await byToken() : await byCredentials();
  return async (service) => {
    const opened = await openFor(service);
    if (!(await isLfsEnabled(opened.context, opened.project))) throw new LfsOff();
    return opened;
  };

  async function byCredentials() {
    const actor = await identifyRemote(nobody, headers);
    const proof = actor && (await proofOf(nobody.db, actor, headers));
    const expires = lfsTokenEnd();
    return async (service: RemoteService): Promise<Opened> => {
      const context = contextOf(actorFor(actor, service), request);
      return { context, project: projectOf(await openRemote(context, fullPath, service)), proof, expires };
    };
  }

  async function byToken() {
    const grant = readLfsToken(password, nobody.secret);
    if (grant === null) throw new Unauthenticated('The token has expired.');
    const { proof } = grant;
    const deployKeyId = proof && 'deployKey' in proof ? proof.deployKey : undefined;
    const actor = proof && !('deployKey' in proof) ? await provenBy(nobody.db, proof) : null;
    if (actor === undefined) throw new Unauthenticated(ASK);
    return async (service: RemoteService): Promise<Opened> => {
      if (service === 'push' && grant.service !== 'push') throw new Forbidden('The token is for downloads.');
      if (deployKeyId !== undefined) {
        const given = { projectId: grant.projectId, deployKeyId };
        const project = await openByKeyGrant(nobody, given, fullPath, service);
        return { ...grant, context: nobody, project };
      }
      const context = contextOf(actorFor(actor, service), request);
      const project = projectOf(await openRemote(context, fullPath, service, null));
      if (project.id !== grant.projectId) throw new Forbidden('The token is for another project.');
      return { ...grant, context, project };
    };
  }
}

/** The project whose repository it is. Throws NotFound for others: they have no objects. */
function projectOf(repository: RemoteRepository): ProjectRow {
  if (repository.side) throw new NotFound('Project');
  return repository;
}

class LfsOff extends Error {}

/** The object that a request sends, for a caller who was let in: nothing is read of what others send. */
async function bodyOf({ request }: Call): Promise<Record<string, unknown>> {
  endSilentBody(request, REQUEST_TIMEOUTS_MS);
  const tooLarge = () => tooMuch(`A request has at most ${MAX_REQUEST_BYTES} bytes`);
  const bytes = await readAtMost(request, MAX_REQUEST_BYTES, tooLarge);
  if (bytes.length === 0) return {};
  const value = parsed(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadRequest('The body is no JSON object');
  }
  return value as Record<string, unknown>;
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    throw error.tooLarge ? tooMuch(error.message) : new BadRequest('The body is no JSON');
  }
}

function tooMuch(message: string): DomainError {
  return new DomainError('contentTooLarge', message);
}

async function answer(call: Call, endpoint: string): Promise<void> {
  const { request, response } = call;
  const { query } = request;
  const send = (status: number, content: object) => void response.status(status).type(TYPE).json(content);
  const lock = /^locks\/(\d{1,9})\/unlock$/.exec(endpoint)?.[1];
  const at = `${request.method} ${lock === undefined ? endpoint : 'locks/unlock'}`;
  switch (at) {
    case 'POST objects/batch':
      return send(200, await batch(call));
    case 'POST objects/verify':
      return send(200, await verify(call));
    case 'GET locks': {
      const { context, project } = await open(call, 'fetch');
      const { locks, next } = await listLocks(context, project, query);
      return send(200, { locks: locks.map(({ userId: _, ...record }) => record), next_cursor: next });
    }
    case 'POST locks': {
      const { context, project } = await open(call, 'push');
      const { path } = await bodyOf(call);
      const { lock, isTaken } = await lockFile(context, userOf(context), project, path);
      return isTaken ? send(409, { lock, message: 'already created lock' }) : send(201, { lock });
    }
    case 'POST locks/verify': {
      const { context, project } = await open(call, 'push');
      const { id } = userOf(context);
      const { cursor, limit } = await bodyOf(call);
      const { locks, next } = await listLocks(context, project, { cursor, limit });
      const those = (isOurs: boolean) =>
        locks.filter(({ userId }) => (userId === id) === isOurs).map(({ userId: _, ...record }) => record);
      return send(200, { ours: those(true), theirs: those(false), next_cursor: next });
    }
    case 'POST locks/unlock': {
      const { context, project } = await open(call, 'push');
      const { force } = await bodyOf(call);
      const wish = { id: String(lock), force: force === true };
      return send(200, { lock: await unlockFile(context, userOf(context), project, wish) });
    }
    default:
      return send(404, { message: 'There is nothing here.' });
  }
}

/** The user, whom deploy keys are not. */
function userOf({ actor }: Context): Actor {
  if (!actor) throw new Forbidden('Only users lock files.');
  return actor;
}

/** What to do for each object: where to get it or to put it, or why that cannot be. */
async function batch(call: Call): Promise<object> {
  const openFor = await identified(call);
  const reader = await openFor('fetch');
  const body = await bodyOf(call);
  const { operation, transfers, hash_algo: algorithm = 'sha256' } = body;
  if (operation !== 'download' && operation !== 'upload') throw new BadRequest('operation must be download or upload');
  if (Array.isArray(transfers) && !transfers.includes('basic'))
    throw new BadRequest('Only basic transfers are supported');
  if (algorithm !== 'sha256') throw new DomainError('wrongState', 'Only sha256 is supported');
  const asked = namesIn(body.objects);
  const objects = asked.filter((one) => 'oid' in one);
  const service = operation === 'upload' ? 'push' : 'fetch';
  const opened = service === 'push' ? await openFor('push') : reader;
  const { context, project, proof, expires } = opened;
  return withShare(call, context, async () => {
    const oids = objects.map(({ oid }) => oid);
    const present = await presentObjects(context.db, project.id, oids);
    const grant = { projectId: project.id, service, proof, expires } as const;
    const token = Buffer.from(`lfs:${newLfsToken(grant, context.secret)}`).toString('base64');
    const given = { header: { Authorization: `Basic ${token}` }, expires_in: secondsLeft(grant) };
    const base = `${call.options.baseUrl(call.request)}/${project.fullPath.split('/').map(encodeURIComponent).join('/')}.git/info/lfs/objects`;
    const answers = asked.map(async (one) => {
      if (!('oid' in one)) return one.unusable;
      const { oid, size } = one;
      const known = present.get(oid);
      const found = { oid, size: known?.size ?? size, authenticated: true };
      if (operation === 'download') {
        if (!known) return { oid, size, error: { code: 404, message: 'The object does not exist' } };
        return { ...found, actions: { download: { href: `${base}/${oid}`, ...given } } };
      }
      if (known) return known.size === size ? found : { oid, size, error: { code: 422, message: 'The size is wrong' } };
      const refused = await refusalOf(context, project.id, size);
      if (refused) return { oid, size, error: refused };
      const actions = {
        upload: { href: `${base}/${oid}/${size}`, ...given },
        verify: { href: `${base}/verify`, ...given },
      };
      return { ...found, actions };
    });
    return { transfer: 'basic', hash_algo: 'sha256', objects: await Promise.all(answers) };
  });
}

/** An object that a batch names, or what is answered for one that cannot be. */
type Asked = LfsName | { unusable: object };

function namesIn(given: unknown): Asked[] {
  if (!Array.isArray(given)) throw new BadRequest('objects is missing');
  if (given.length > MAX_OBJECTS) throw tooMuch(`objects has more than ${MAX_OBJECTS}`);
  return given.map((one: Named) => nameIn(one) ?? unusable(one));
}

type Named = { oid?: unknown; size?: unknown } | null;

function nameIn(given: Named): LfsName | null {
  const { oid, size } = given ?? {};
  const isSize = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  return isLfsOid(oid) && isSize ? { oid, size } : null;
}

const UNUSABLE = 'An object needs its oid and size';

/** The others of a batch are not refused with it. */
function unusable(given: Named): Asked {
  const { oid, size } = given ?? {};
  const named = { oid: typeof oid === 'string' ? oid : '', size: typeof size === 'number' ? size : 0 };
  return { unusable: { ...named, error: { code: 422, message: UNUSABLE } } };
}

async function refusalOf(context: Context, projectId: number, size: number) {
  try {
    await requireLfsRoom(context, projectId, size);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const code = error.code === 'LIMIT_REACHED' ? 507 : HTTP_STATUS[error.code];
    return { code, message: error.message };
  }
}

async function verify(call: Call): Promise<object> {
  const { context, project } = await open(call, 'push');
  const name = nameIn(await bodyOf(call));
  if (name === null) throw new BadRequest(UNUSABLE);
  const { oid, size } = name;
  const known = (await presentObjects(context.db, project.id, [oid])).get(oid);
  if (!known) throw new NotFound('Object', 'The object does not exist');
  if (known.size !== size) throw new BadRequest('The size is wrong');
  return { oid, size };
}

/** Sends or receives an object. */
async function transfer(call: Call, oid: string, size: string | undefined): Promise<void> {
  const { request, response } = call;
  if (request.method === 'PUT' && size !== undefined) {
    const { context, project } = await open(call, 'push');
    await withShare(call, context, async () => {
      endSilentBody(request, OBJECT_TIMEOUTS_MS);
      const content = request.iterator({ destroyOnReturn: false });
      await receiveLfsObject(context, project, { oid, size: Number(size) }, content);
    });
    return void response.status(200).end();
  }
  if (!['GET', 'HEAD'].includes(request.method) || size !== undefined) {
    return void response
      .status(405)
      .set('Allow', size === undefined ? 'GET' : 'PUT')
      .end();
  }
  const { context, project } = await open(call, 'fetch');
  await withShare(call, context, async () => {
    const known = (await presentObjects(context.db, project.id, [oid])).get(oid);
    if (!known) throw new NotFound('Object', 'The object does not exist');
    const range = rangeOf(request, known.size);
    if (range === 'unsatisfiable') {
      return void response.status(416).set('Content-Range', `bytes */${known.size}`).end();
    }
    response.status(range ? 206 : 200).set({
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(range ? range.end - range.start + 1 : known.size),
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-transform',
      ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${known.size}` } : {}),
    });
    if (request.method === 'HEAD' || known.size === 0) return void response.end();
    const content = await lfsStore(context).read(placeOf(known), range);
    if (content === null) throw new NotFound('Object', 'The object is missing in the store');
    await pipeline(content, response);
  });
}

/** The part that is asked for, of an object of this size: `bytes=5-`, `bytes=5-9` or `bytes=-5`; none for the whole. */
function rangeOf(request: Request, size: number): ByteRange | 'unsatisfiable' | undefined {
  // An object never changes under its name: a condition is met by what has it.
  if (size === 0) return undefined;
  const ranges = request.range(size, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  return Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
}

/** Does what takes memory or long when the caller's turn has come. */
async function withShare<T>({ options }: Call, context: Context, work: () => Promise<T>): Promise<T> {
  const caller = callerOf(context.actor, context.clientAddress);
  const release = await options.gitConcurrency.take(caller, { isAnonymous: context.actor === null });
  try {
    return await work();
  } finally {
    release();
  }
}

function fail(options: Call['options'], thrown: unknown, request: Request, response: Response): void {
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    if (!(thrown instanceof DomainError) && !isExpected(thrown)) options.report(thrown, request);
    return void response.destroy();
  }
  const { status, message } = answerTo(thrown, response, (error) => options.report(error, request));
  if (status === 401) response.set({ 'WWW-Authenticate': CHALLENGE, 'LFS-Authenticate': CHALLENGE });
  response.removeHeader('Content-Length');
  response.status(status).type(TYPE).json({ message });
}

function answerTo(
  thrown: unknown,
  response: Response,
  report: (error: unknown) => void,
): { status: number; message: string } {
  if (thrown instanceof LfsOff) return { status: 501, message: 'Git LFS is not enabled in this project.' };
  if (isBrokenOff(thrown)) return { status: 400, message: 'The body ended before all of it had come.' };
  const { error, isOurs } = failureOf(thrown);
  if (error instanceof DomainError) {
    const { retryAfter } = error.extensions;
    if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
    return { status: error.code === 'LIMIT_REACHED' ? 507 : HTTP_STATUS[error.code], message: error.message };
  }
  if (isOurs) report(thrown);
  return { status: 500, message: 'Something went wrong on the server.' };
}
