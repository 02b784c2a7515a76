import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { readJson } from '#schema/bodies.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { type Documents, Invalid, type Measured } from '#schema/documents.ts';
import type { LongDocuments } from '#schema/long_documents.ts';
import type { Params, PersistedDocuments } from '#schema/persisted_documents.ts';
import { wrongTransport } from '#schema/subscriptions/server_sent_events.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

export interface JsonPostOptions {
  schema: GraphQLSchema;
  documents: Documents;
  persisted: PersistedDocuments;
  long: LongDocuments;
  /** Operations that one request may contain. */
  batch: number;
  /** Identifies the caller. Throws DomainErrors. */
  contextOf(request: IncomingMessage): Promise<GraphQLContext>;
  /** Executes an operation when its turn comes. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
  /** An error as shown to clients. */
  told(error: unknown): GraphQLError;
}

/** Whether a request is JSON over POST, as nearly all GraphQL clients send. */
export function isJsonPost({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/**
 * Handles JSON over POST (GraphQL over HTTP): one operation or a batch. Nearly all operations arrive this way, and it takes a
 * millisecond of CPU less than yoga, as much as reading a page of a list.
 */
export function jsonPost(options: JsonPostOptions) {
  return async (request: IncomingMessage & { body?: unknown }, response: ServerResponse): Promise<void> => {
    // Large bodies are kept on the disk.
    const source = request.body instanceof Readable ? request.body : request;
    const size = Number(request.headers['content-length'] ?? 0);
    const body = await readAtMost(source, size, () => new Error('The body is longer than it says')).catch(() => null);
    // The client disconnected before the whole body arrived.
    if (!body) return void response.destroy();
    const type = mediaTypeOf(request.headers.accept);
    if (type === undefined) return refuse(request, response);
    let result: ExecutionResult | ExecutionResult[];
    try {
      const sent = readJson(body);
      if (Array.isArray(sent) && sent.length > options.batch) throw badRequest(tooMany(options.batch), 413);
      const resultOf = (one: unknown) => operate(options, request, response, one);
      result = await (Array.isArray(sent) ? Promise.all(sent.map(resultOf)) : resultOf(sent));
    } catch (error) {
      result = { errors: [options.told(error)] };
    }
    send(result, type, request, response);
  };
}

/** The result of one operation of a request. */
async function operate(
  { schema, documents, persisted, long, contextOf, execute, told }: JsonPostOptions,
  req: IncomingMessage & { ip?: string },
  res: ServerResponse,
  sent: unknown,
): Promise<ExecutionResult> {
  try {
    const params = checked(sent);
    const text = persisted.textOf(params);
    if (text === undefined) throw badRequest('Must provide query string.', 400, true);
    const work = async () => {
      const { document, operation, measure } = documents.prepare(text, params);
      if (operation.operation === 'subscription') throw wrongTransport();
      const contextValue: GraphQLContext & Measured = Object.assign(await contextOf(req), {
        measure,
        params,
        req,
        res,
      });
      persisted.keep(params);
      const { variables = null, operationName = null } = params;
      return execute({ schema, document, contextValue, variableValues: variables, operationName });
    };
    // The caller is not identified yet, so callers are told apart by address.
    return await (long.isLong(text) ? long.inTurn(callerOf(null, req.ip ?? null), work) : work());
  } catch (error) {
    return { errors: error instanceof Invalid ? error.errors.map(told) : [told(error)] };
  }
}

const NAMES = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId', 'onError']);

/** The parameters of one operation. Throws GraphQLError. */
function checked(sent: unknown): Params {
  if (!isObject(sent)) throw badRequest('A request is an object with query, variables, operationName and extensions.');
  const given = Object.entries(sent).filter(([, value]) => value !== null);
  for (const [name, value] of given) {
    if (!NAMES.has(name)) throw badRequest(`Unexpected parameter "${name.slice(0, 100)}" in the request body.`);
    if (name === 'variables' || name === 'extensions') {
      if (!isObject(value)) throw badRequest(`The parameter "${name}" must be an object.`);
    } else if (typeof value !== 'string') throw badRequest(`The parameter "${name}" must be a string.`);
  }
  return Object.fromEntries(given);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tooMany(most: number): string {
  return `Batching is limited to ${most} operations per request.`;
}

/** @param spec whether clients that accept plain JSON get status 200, as GraphQL over HTTP specifies for well-formed requests */
function badRequest(message: string, status = 400, spec = false): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, ...(spec && { spec }) } } });
}

const [JSON_TYPE, GRAPHQL_TYPE] = ['application/json', 'application/graphql-response+json'] as const;

/** The media type of the response: the first supported one that the client names; undefined if there is none. */
function mediaTypeOf(accept = '*/*'): string | undefined {
  for (const part of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = part.replaceAll(/\s/g, '').split(';');
    if (parameters.some((parameter) => parameter.startsWith('charset=') && parameter !== 'charset=utf-8')) continue;
    if (type === GRAPHQL_TYPE) return GRAPHQL_TYPE;
    if (type === JSON_TYPE || type === 'application/*' || type === '*/*') return JSON_TYPE;
  }
  return undefined;
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  allowOrigin(request, response);
  response.statusCode = 406;
  response.setHeader('Accept', `${JSON_TYPE}; charset=utf-8, ${GRAPHQL_TYPE}; charset=utf-8`);
  response.end();
}

/** HTTP status and headers requested by a GraphQL error. */
interface AskedOfHttp {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Whether clients that accept plain JSON get status 200 anyway. */
  spec?: boolean;
}

function send(
  result: ExecutionResult | ExecutionResult[],
  type: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (response.destroyed) return;
  allowOrigin(request, response);
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  const errors = Array.isArray(result) ? [] : (result.errors ?? []);
  const asked = errors.map(({ extensions }) => (extensions.http ?? {}) as AskedOfHttp);
  const statuses = asked.map(({ status = 0, spec }) => (spec && type === JSON_TYPE ? 0 : status));
  response.statusCode = Math.max(0, ...statuses) || 200;
  for (const [name, value] of asked.flatMap(({ headers = {} }) => Object.entries(headers)))
    response.setHeader(name, value);
  response.end(JSON.stringify(Array.isArray(result) ? result.map(withoutHttp) : withoutHttp(result)));
}

/** The result without the HTTP extensions of its errors. */
function withoutHttp(result: ExecutionResult): object {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const { extensions: { http: _, ...extensions } = {}, ...rest } = error.toJSON();
    return { ...rest, extensions };
  });
  return { ...result, errors };
}

function allowOrigin({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, OPTIONS');
  response.setHeader('Vary', 'Origin');
}
