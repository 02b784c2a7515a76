import type { Request, RequestHandler, Response } from 'express';
import { callerOf } from '#src/access/permissions/caller.ts';
import { noteRoute } from '#src/entrances/web/request_facts.ts';
import { DomainError, HTTP_STATUS } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** The response of an endpoint of a protocol: JSON, or nothing. */
export interface ProtocolAnswer {
  status: number;
  body?: unknown;
  /** The JSON that the body is, in its place. */
  json?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The parameters in the body of a request. */
export type Given = Readonly<Record<string, unknown>>;

/** The implementation of an endpoint; returns null if it has responded itself, as a streaming one does. */
export type ProtocolWork = (request: Request, response: Response, given: Given) => Promise<ProtocolAnswer | null>;

export interface EndpointOptions {
  /** Reads the body before the request is queued, so that slow senders do not delay others. */
  receive?: (request: Request) => Promise<Given>;
  /** Whether it bypasses the queue, as a long-running stream does. */
  bypassQueue?: boolean;
}

export interface Answering {
  /** Called with unexpected errors. */
  report(error: unknown, request: Request): void;
}

/** Bodies that are received at a time, in all and per network; they are not queued meanwhile. */
const BODY_CONCURRENCY = {
  concurrency: 1_000,
  perCaller: 200,
  waitingPerCaller: 1_000,
  waiting: 4_000,
  patience: 30_000,
};

/** Concurrent requests per network: all runners behind one address count as one caller. */
const CONCURRENCY_LIMITS = {
  concurrency: 50,
  perCaller: 20,
  waitingPerCaller: 1_000,
  waiting: 4_000,
  patience: 30_000,
};

/** Makes the handler of an endpoint. `path` is its template below /api/v4 for logs and metrics. */
export type ProtocolEndpoint = (path: string, work: ProtocolWork, options?: EndpointOptions) => RequestHandler;

/** Makes handlers of endpoints, which are queued and report errors in the format of /api/v4 (behaviour.md 1). */
export function answering({ report }: Answering): ProtocolEndpoint {
  const arrivals = new CallerSemaphore(BODY_CONCURRENCY);
  const turns = new CallerSemaphore(CONCURRENCY_LIMITS);
  return (path, work, { receive, bypassQueue = false } = {}) =>
    async (request, response) => {
      noteRoute(request, path);
      const caller = callerOf(null, request.ip ?? null);
      try {
        const given = receive ? await arrivals.run(caller, () => receive(request)) : {};
        const run = () => work(request, response, given);
        const answer = await (bypassQueue ? run() : turns.run(caller, run));
        if (answer) send(response, answer);
      } catch (error) {
        if (response.headersSent || response.destroyed) response.destroy();
        else send(response, refusalOf(error) ?? unexpected(error, request, report));
      }
    };
}

/** The response to a DomainError or an unreadable body; null for other errors. */
function refusalOf(error: unknown): ProtocolAnswer | null {
  if (isBadBody(error)) return { status: error.status, body: { error: error.message } };
  if (!(error instanceof DomainError)) return null;
  const status = HTTP_STATUS[error.code];
  const { fields, retryAfter, headers } = error.extensions;
  const words = { 401: '401 Unauthorized', 403: '403 Forbidden', 404: '404 Not Found' }[status];
  const own = typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {};
  return {
    status,
    body: { message: fields ?? words ?? error.message },
    headers: { ...own, ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }) },
  };
}

function unexpected(error: unknown, request: Request, report: Answering['report']): ProtocolAnswer {
  report(error, request);
  const known = transientFailure(error)?.refusal;
  return (known && refusalOf(known)) ?? { status: 500, body: { message: '500 Internal Server Error' } };
}

/** Whether the error says why a body cannot be read, and has a status. */
function isBadBody(error: unknown): error is Error & { status: number } {
  const status =
    error instanceof Error && !(error instanceof DomainError) ? (error as { status?: unknown }).status : null;
  return typeof status === 'number' && status >= 400 && status < 500;
}

function send(response: Response, { status, body, json: made, headers = {} }: ProtocolAnswer): void {
  response.set({ 'Cache-Control': 'no-store', ...headers });
  if (body === undefined && made === undefined) {
    response.status(status).end();
    return;
  }
  const json = Buffer.from(made ?? JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
}
