import type { Request, RequestHandler, Response } from 'express';
import { callerOf } from '#src/access/permissions/caller.ts';
import { noteRoute } from '#src/entrances/web/request_facts.ts';
import { DomainError, HTTP_STATUS } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** What an endpoint of the runners' protocol answers; JSON, or nothing. */
export interface ProtocolAnswer {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** The parameters of a request, as its body has them. */
export type Given = Readonly<Record<string, unknown>>;

/** Work behind an endpoint; null where it has answered by itself, as one that streams has. */
export type ProtocolWork = (request: Request, response: Response, given: Given) => Promise<ProtocolAnswer | null>;

export interface EndpointOptions {
  /** Reads the body, before it is the request's turn: whoever sends slowly holds up nobody else. */
  receive?: (request: Request) => Promise<Given>;
  /** Whether it takes no turn with the others, as one that streams for long. */
  bypassQueue?: boolean;
}

export interface Answering {
  /** Called with unexpected errors. */
  report(error: unknown, request: Request): void;
}

/** Bodies that arrive at a time, and those of one network: nobody has a turn meanwhile. */
const ARRIVALS = { concurrency: 1_000, perCaller: 200, waitingPerCaller: 1_000, waiting: 4_000, patience: 30_000 };

/** Requests of one network that are answered at a time: all runners behind one address are one to the server. */
const TURNS = { concurrency: 50, perCaller: 20, waitingPerCaller: 1_000, waiting: 4_000, patience: 30_000 };

/** Makes the handler of an endpoint. `path` is the template by which logs and metrics know it, below /api/v4. */
export type ProtocolEndpoint = (path: string, work: ProtocolWork, options?: EndpointOptions) => RequestHandler;

/** Makes handlers of endpoints, which answer by turns and refuse in the forms of /api/v4 (behaviour.md 1). */
export function answering({ report }: Answering): ProtocolEndpoint {
  const arrivals = new CallerSemaphore(ARRIVALS);
  const turns = new CallerSemaphore(TURNS);
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

/** The refusal for an error of the domain, or of a body that cannot be read; null for anything else. */
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

/** Whether it says of a body why it cannot be read, and with which status. */
function isBadBody(error: unknown): error is Error & { status: number } {
  const status =
    error instanceof Error && !(error instanceof DomainError) ? (error as { status?: unknown }).status : null;
  return typeof status === 'number' && status >= 400 && status < 500;
}

function send(response: Response, { status, body, headers = {} }: ProtocolAnswer): void {
  response.set(headers);
  response.set('Cache-Control', 'no-store');
  if (body === undefined) {
    response.status(status).end();
    return;
  }
  const json = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
}
