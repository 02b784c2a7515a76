import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type ExecutionArgs, type ExecutionResult, type GraphQLSchema, getOperationAST } from 'graphql';
import { type FetchAPI, type GraphQLParams, processRegularResult } from 'graphql-yoga';
import type { GraphQLContext } from '#schema/context.ts';
import type { Measured } from '#schema/documents.ts';
import type { KnownDocuments } from '#schema/known_documents.ts';
import type { Limiter } from '#schema/limits.ts';
import type { LongDocuments } from '#schema/long_documents.ts';
import { type ProjectNamed, projectNamed } from '#schema/project_named.ts';
import { Mispresumed } from '#src/access/credentials/presumption.ts';
import { parseJson } from '#src/platform/json.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

export interface DirectOptions {
  schema: GraphQLSchema;
  known: KnownDocuments;
  limiter: Limiter;
  long: LongDocuments;
  /** The text of the document that a request names; throws a GraphQLError where it may not be executed. */
  textOf(params: GraphQLParams): string | undefined;
  /** Who asks, and with what; `about` may be read at once. Throws DomainErrors. */
  contextOf(request: IncomingMessage, about?: ProjectNamed): Promise<GraphQLContext>;
  /**
   * As contextOf, for a caller of whom it is assumed that nothing has changed; null for callers not seen before.
   *
   * @param name the same for requests that ask for the same
   */
  presumedContextOf(request: IncomingMessage, name: Buffer, about?: ProjectNamed): Promise<GraphQLContext | null>;
  /** Executes an operation when it is its turn. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
  /** The result of what threw. */
  failed(error: unknown): ExecutionResult;
}

/** Whether it answered the request. */
export type DirectAnswer = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/**
 * Answers what most requests are: one operation, as JSON, of a document that came before and was found valid. Yoga
 * takes a millisecond of CPU for each, as long as reading a page of a list does. Whatever is out of the ordinary, or refused, is
 * left to yoga, which finds the body in `request.body` then. The answers are those that yoga gives.
 */
export function directAnswers(options: DirectOptions): DirectAnswer {
  return async (request, response) => {
    const type = isPlain(request) ? mediaTypeOf(request.headers.accept) : undefined;
    if (type === undefined) return false;
    const size = Number(request.headers['content-length'] ?? 0);
    const body = await readAtMost(request, size, () => new Error('The body is longer than it says')).catch(() => null);
    if (!body) {
      // The client went away before all had come.
      response.destroy();
      return true;
    }
    const result = await resultOf(options, request, response, body);
    if (result) send(result, type, request, response);
    else Object.assign(request, { body: Readable.from([body]) });
    return result !== null;
  };
}

/** The result of an operation; null for what is left to yoga. */
async function resultOf(
  options: DirectOptions,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<ExecutionResult | null> {
  for (const mayPresume of [true, false]) {
    const args = await prepare(options, request, response, body, mayPresume).catch(() => null);
    if (!args) return null;
    try {
      return await options.execute(args);
    } catch (error) {
      // The caller or the project has changed; nothing has been answered yet.
      if (!(error instanceof Mispresumed)) return options.failed(error);
    }
  }
  return null;
}

/**
 * A request as clients of GraphQL send it: parameters in the URL, and bodies in other forms, or that were received before, are
 * for yoga.
 */
function isPlain({ method, url, headers, readableDidRead }: IncomingMessage): boolean {
  return (
    !readableDidRead &&
    method === 'POST' &&
    url === '/graphql' &&
    /^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) > 0
  );
}

const [JSON_TYPE, GRAPHQL_TYPE] = ['application/json', 'application/graphql-response+json'];

/** The form of the answer, as yoga chooses it: the first one that the client names. Undefined for any other. */
function mediaTypeOf(accept = '*/*'): string | undefined {
  for (const part of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = part.replaceAll(/\s/g, '').split(';');
    if (parameters.some((parameter) => parameter.startsWith('charset=') && parameter !== 'charset=utf-8')) continue;
    if (type === GRAPHQL_TYPE) return GRAPHQL_TYPE;
    if (type === JSON_TYPE || type === 'application/*' || type === '*/*') return JSON_TYPE;
  }
  return undefined;
}

/** What is to be executed; null for what is not known. Throws for what is refused, as yoga will. */
async function prepare(
  { schema, known, limiter, long, textOf, contextOf, presumedContextOf }: DirectOptions,
  req: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
  mayPresume: boolean,
): Promise<ExecutionArgs | null> {
  const params = paramsOf(parseJson(body));
  const text = params && textOf(params);
  const document = text === undefined || text === null || long.isLong(text) ? undefined : known.find(text);
  if (!params || !document) return null;
  const { operationName, variables = {} } = params;
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === 'subscription') return null;
  const measure = limiter.check(document, operationName ?? undefined, variables ?? {});
  const about = measure ? projectNamed(operation, variables ?? {}, measure) : undefined;
  const isPresumed = mayPresume && operation.operation === 'query';
  const presumed = isPresumed ? await presumedContextOf(req, body, about) : null;
  const contextValue: GraphQLContext & Measured = Object.assign(presumed ?? (await contextOf(req, about)), {
    measure,
    req,
    res,
  });
  return { schema, document, contextValue, variableValues: variables ?? null, operationName: operationName ?? null };
}

const NAMES = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId']);

/** The parameters of a request for one operation that are as they should be; null for all else. */
function paramsOf(sent: unknown): GraphQLParams | null {
  if (!isObject(sent) || !Object.keys(sent).every((name) => NAMES.has(name))) return null;
  const { query, variables, operationName, extensions, documentId } = sent;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && !isObject(variables)) return null;
  if (extensions != null && !isObject(extensions)) return null;
  // A document that is sent with its hash is kept by it.
  const isNamed = documentId != null || extensions?.persistedQuery != null;
  return (query == null ? isNamed : typeof query === 'string' && !isNamed) ? (sent as GraphQLParams) : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What yoga makes of a result, which is never a stream here. */
interface Made {
  body: string;
  init: { status: number; headers: Record<string, string> };
}

/** Takes down what yoga would make a Response of. */
const RESPONSE = {
  Response: class implements Made {
    readonly body: string;
    readonly init: Made['init'];
    constructor(body: string, init: Made['init']) {
      this.body = body;
      this.init = init;
    }
  },
} as unknown as FetchAPI;

function send(result: ExecutionResult, type: string, { headers }: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return;
  const { body, init } = processRegularResult(result, RESPONSE, type) as unknown as Made;
  if (headers.origin !== undefined) {
    response.setHeader('Access-Control-Allow-Origin', headers.origin);
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, OPTIONS');
    response.setHeader('Vary', 'Origin');
  }
  response.statusCode = init.status;
  for (const [name, value] of Object.entries(init.headers)) response.setHeader(name, value);
  response.end(body);
}
