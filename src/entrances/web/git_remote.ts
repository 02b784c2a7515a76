import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Actor, actorFor, type Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { decodedUri } from '#src/base/text.ts';
import {
  ASK,
  hiddenRefs,
  identifyRemote,
  type RemoteRepository,
  type RemoteService,
} from '#src/domain/repository/access_remote.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { countFetch } from '#src/domain/repository/fetches.ts';
import type { Received } from '#src/domain/repository/receive.ts';
import { answerPush } from '#src/domain/repository/remote/answer_push.ts';
import { failureOf, Gone, isExpected } from '#src/domain/repository/remote/failure.ts';
import { MAX_COMMAND_BYTES, MAX_FETCH_BYTES, REMOTE_LIMITS } from '#src/domain/repository/remote/limits.ts';
import { requireProgram } from '#src/domain/repository/remote/program.ts';
import { openAnyRemote } from '#src/domain/snippets/remote.ts';
import { followPush } from '#src/domain/tracking/merge_requests/after_push.ts';
import { gitBody } from '#src/entrances/web/git_body.ts';
import { type ProgressLimits, watchProgress } from '#src/entrances/web/progress.ts';
import { InvalidRequest, TooMuchSent } from '#src/git/incoming/invalid_request.ts';
import { pushAdvertisement } from '#src/git/remote/push_advertisement.ts';
import { advertiseFetch, serveFetch } from '#src/git/remote/serve_fetch.ts';
import { CredentialsWanted } from '#src/git/remote/want_gate.ts';
import { DomainError, type ErrorCode, Unauthenticated } from '#src/platform/errors.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

export interface GitRemoteOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: Request): string;
  /** Called with unexpected errors. */
  report(error: unknown, request: Request): void;
  /** Shared with the other entrances for git. */
  gitConcurrency: CallerSemaphore;
  limits?: Partial<RequestLimits> | undefined;
}

export interface RequestLimits extends ProgressLimits {
  /** Milliseconds that one request may take in total. */
  total: number;
  /** Milliseconds for which nothing may be transferred in either direction. */
  idle: number;
}

const LIMITS: RequestLimits = { ...REMOTE_LIMITS, idle: 5 * 60_000, firstByte: 10_000 };

/** Git's smart HTTP protocol, versions 0 to 2, at `/<full path of a project>.git` and those of wikis and snippets. Errors are plain text. */
export function gitRemote(options: GitRemoteOptions): Router {
  const limits = { ...LIMITS, ...options.limits };
  const serve: RequestHandler = async (request, response, next) => {
    const called = parse(request);
    if (called === null) return next();
    const controller = watch(request, response, limits);
    try {
      await admit(options, called, request, response, controller.signal);
    } catch (error) {
      fail(options, called, error, request, response);
    } finally {
      controller.stop();
    }
  };
  return Router().use(serve);
}

/** Whether a path belongs to git's protocol. */
export function isGitPath(path: string): boolean {
  return PATH.test(path);
}

const PATH = /^\/(.+)\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** Clients of git that sign in with a browser recognize the API of the server by the realm. */
export const CHALLENGE = 'Basic realm="GitLab"';

/** Requests of clients that were given the URL of the project's page: they are redirected to the repository. */
const PAGE = /^\/(.+)\/(info\/refs)$/;

interface Called {
  fullPath: string;
  /** Whether the URL lacks `.git`. */
  isPage: boolean;
  endpoint: 'info/refs' | 'git-upload-pack' | 'git-receive-pack';
  service: RemoteService | null;
}

/** Answers once the caller is identified and below their limit; none of the body is read before. */
async function admit(
  options: GitRemoteOptions,
  called: Called,
  request: Request,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  const { contextOf, gitConcurrency } = options;
  const actor = await identifyRemote(contextOf(null, request), request.headers);
  const context = contextOf(actorFor(actor, called.service ?? undefined), request);
  if (called.isPage && called.service !== null) {
    // Callers who may not see the project get the same answer as at the right URL.
    const found = await openAnyRemote(context, called.fullPath, called.service);
    return redirect(
      options,
      found.side ? found.address : found.fullPath,
      request,
      response,
      'The repository is at the address with .git.',
    );
  }
  const caller = callerOf(context.actor, context.clientAddress);
  const release = await gitConcurrency.take(caller, { isAnonymous: context.actor === null });
  try {
    const follow = (project: RemoteRepository, received: Received) =>
      followPush(
        { context, project, baseUrl: options.baseUrl(request), report: (error) => options.report(error, request) },
        received,
      );
    const counted = ({ id, side }: RemoteRepository) => {
      if (!side) countFetch(context.db, id).catch((error) => options.report(error, request));
    };
    await answer(context, called, request, response, { signal, follow, counted });
  } finally {
    release();
  }
}

interface Answering {
  signal: AbortSignal;
  follow(project: RemoteRepository, received: Received): Promise<string[]>;
  /** Counts a fetch. */
  counted(project: RemoteRepository): void;
}

async function answer(
  context: Context,
  { fullPath, endpoint, service }: Called,
  request: Request,
  response: Response,
  { signal, follow, counted }: Answering,
): Promise<void> {
  const isAdvertisement = endpoint === 'info/refs';
  if (request.method !== (isAdvertisement ? 'GET' : 'POST')) {
    return refuse(response, 405, 'This is an address for git.', { Allow: isAdvertisement ? 'GET' : 'POST' });
  }
  if (service === null) return refuse(response, 403, 'Use a git client of version 1.6.6 or later.');
  const project = await openAnyRemote(context, fullPath, service);
  await requireProgram();
  const name = service === 'fetch' ? 'git-upload-pack' : 'git-receive-pack';
  if (!isAdvertisement && request.headers['content-type'] !== `application/x-${name}-request`) {
    return refuse(response, 415, `The content must be of type application/x-${name}-request.`);
  }
  const { limits } = context.repositories;
  const most = service === 'fetch' ? MAX_FETCH_BYTES : limits.pushBytes + MAX_COMMAND_BYTES;
  const body = isAdvertisement ? request : gitBody(request, most, limits.unzippedBytes);
  const { directory } = await ensureRepository(context, project);
  response.setHeader('Content-Type', `application/x-${name}-${isAdvertisement ? 'advertisement' : 'result'}`);
  response.setHeader('Cache-Control', 'no-cache, max-age=0, must-revalidate');
  const protocol = request.get('git-protocol');
  const hidden = await hiddenRefs(context, project);
  if (service === 'fetch') {
    const isGuest = context.actor === null && !project.side && project.mergeRequestsEnabled;
    const options = { protocol, hidden, isGuest, signal, onPack: () => counted(project) };
    if (isAdvertisement) await advertiseFetch(directory, response, options);
    else await serveFetch(directory, body, response, options).catch(askForCredentials);
  } else if (isAdvertisement) response.end(await pushAdvertisement(directory, hidden));
  else
    response.end(
      await answerPush({ context, project, body, signal, follow: (received) => follow(project, received) }, response),
    );
}

/** Git clients send credentials only when asked. */
function askForCredentials(error: unknown): never {
  throw error instanceof CredentialsWanted ? new Unauthenticated(ASK) : error;
}

/** Parses the request; null if it is not one of git's. */
function parse({ path, query }: Request): Called | null {
  const match = PATH.exec(path);
  const [, encoded, endpoint] = (match ?? PAGE.exec(path) ?? []) as [string?, string?, Called['endpoint']?];
  if (encoded === undefined || endpoint === undefined) return null;
  const named = endpoint === 'info/refs' ? query.service : endpoint;
  const services: Record<string, RemoteService> = { 'git-upload-pack': 'fetch', 'git-receive-pack': 'push' };
  const service = services[String(named)] ?? null;
  const isPage = match === null;
  return isPage && service === null ? null : { fullPath: decodedUri(encoded) ?? '\0', isPage, endpoint, service };
}

/** A signal that aborts when the client is gone, when nothing is transferred any more, or after the total time. */
function watch(request: Request, response: Response, limits: RequestLimits) {
  const { total, idle } = limits;
  const controller = new AbortController();
  const abort = (reason: string) => {
    controller.abort(new Gone(reason));
    // Notifies a reader that waits for more of the body.
    request.destroy();
  };
  const unwatch = watchProgress(request, response, limits, (reason) => {
    if (response.headersSent) return abort(reason);
    refuse(response, 408, reason);
    controller.abort(new Gone(reason));
    response.once('finish', () => request.destroy());
  });
  const timer = setTimeout(abort, total, 'The request took too long.');
  const { socket } = request;
  let moved = 0;
  const still = setInterval(() => {
    const now = socket.bytesRead + socket.bytesWritten;
    if (now === moved) abort('Nothing came for too long.');
    moved = now;
  }, idle);
  const onClose = () => {
    if (!response.writableFinished) abort('The client is gone.');
  };
  response.once('close', onClose);
  const stop = () => {
    unwatch();
    clearTimeout(timer);
    clearInterval(still);
    response.off('close', onClose);
  };
  return { signal: controller.signal, stop };
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPE: 403,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

function fail(options: GitRemoteOptions, called: Called, thrown: unknown, request: Request, response: Response): void {
  // The response is complete.
  if (response.writableEnded) return;
  const { error, isOurs } = failureOf(thrown);
  if (isOurs) options.report(thrown, request);
  // A response has begun: closing the connection shows the client that it is incomplete.
  if (response.headersSent || error instanceof Gone || response.destroyed) return void response.destroy();
  if (error instanceof DomainError && STATUS[error.code] !== undefined) {
    const { movedTo, retryAfter } = error.extensions;
    if (typeof movedTo === 'string' && called.service === 'fetch' && called.endpoint === 'info/refs') {
      redirect(options, movedTo, request, response, error.message);
      return;
    }
    const headers: Record<string, string> = {};
    if (error.code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = CHALLENGE;
    if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
    refuse(response, STATUS[error.code] ?? 500, error.message, headers);
    return;
  }
  if (error instanceof TooMuchSent) refuse(response, 413, error.message);
  else if (error instanceof InvalidRequest) refuse(response, 400, error.message);
  else if (isExpected(error)) refuse(response, 400, 'The request is broken.');
  else refuse(response, 500, 'Something went wrong on the server.');
}

/** Redirects a client to the repository of a project. */
function redirect(
  { baseUrl }: GitRemoteOptions,
  fullPath: string,
  request: Request,
  response: Response,
  message: string,
): void {
  const query = request.originalUrl.slice(request.originalUrl.indexOf('?'));
  const path = fullPath.split('/').map(encodeURIComponent).join('/');
  refuse(response, 301, message, { Location: `${baseUrl(request)}/${path}.git/info/refs${query}` });
}

function refuse(response: Response, status: number, message: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache', ...headers });
  response.end(`${message}\n`);
}
