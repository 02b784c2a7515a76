import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { ADMISSION, tooComplex } from '#compat/engine/complexity.ts';
import { CompatDocuments, InvalidDocument, MAX_TEXT_LENGTH, type Prepared } from '#compat/engine/documents.ts';
import { type Asked, RefusedRequest, readOperations } from '#compat/engine/request.ts';
import { runOperation } from '#compat/engine/run.ts';
import { compatSchema } from '#compat/engine/schema.ts';
import type { Graphs } from '#compat/engine/translate.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';
import { allowCompression, refuseCompression } from '#src/platform/compressible.ts';
import { DomainError, HTTP_STATUS } from '#src/platform/errors.ts';

/** What the composition root passes. `A` is the caller. */
export interface CompatOptions<A extends { readonly admin: boolean }> {
  /** The core graph. */
  core: GraphQLSchema;
  roots: Graphs['roots'];
  /** Identifies the caller; null for anonymous callers. Throws DomainErrors. */
  authenticate(request: IncomingMessage): Promise<A | null>;
  /** Counts a request of a caller. Returns whether it goes on: otherwise it is answered already. */
  throttle(actor: A | null, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Runs an operation of the core graph, with the same context, turns and masking as /graphql. */
  execute(actor: A | null, request: IncomingMessage, operation: CoreOperation): Promise<ExecutionResult>;
  /** Records the name of an operation, for the log. */
  noteOperation(request: IncomingMessage, operation: string | null): void;
  /** Receives errors that clients do not see. */
  report(error: unknown, request: IncomingMessage): void;
  /** The error for an unexpected failure with a temporary cause. */
  transientFailure(error: unknown): DomainError | null;
}

/** An operation of the core graph that stands for one of a client. */
export interface CoreOperation {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly isMutation: boolean;
}

/** The handler of /api/graphql: documents of today's clients, translated into operations of the core graph. */
export async function createCompat<A extends { readonly admin: boolean }>(options: CompatOptions<A>) {
  const compat = await compatSchema();
  const documents = new CompatDocuments({ compat, core: options.core, roots: options.roots });
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    allowOrigins(request, response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    try {
      if (request.method !== 'POST' && request.method !== 'GET') {
        response.setHeader('Allow', 'GET, POST, OPTIONS');
        throw new RefusedRequest(405, 'Send requests with POST or GET');
      }
      await answer(options, documents, compat, request, response);
    } catch (error) {
      if (isBrokenOff(error)) return void response.destroy();
      refuse(options, error, request, response);
    }
  };
}

/** Knows the caller before anything of the body is read. */
async function answer<A extends { readonly admin: boolean }>(
  options: CompatOptions<A>,
  documents: CompatDocuments,
  compat: GraphQLSchema,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const actor = await options.authenticate(request).catch(async (error) => {
    if (await options.throttle(null, request, response)) throw error;
    return undefined;
  });
  if (actor === undefined || !(await options.throttle(actor, request, response))) return;
  const { url = '' } = request;
  const mark = url.indexOf('?');
  const { asked, isBatch } = await readOperations(request, new URLSearchParams(mark < 0 ? '' : url.slice(mark)));
  const length = asked.reduce((sum, { query }) => sum + query.length, 0);
  if (length > MAX_TEXT_LENGTH) throw new RefusedRequest(422, 'Query too large');
  const results: ExecutionResult[] = [];
  allowCompression(response);
  for (const one of asked) results.push(await operate(options, documents, compat, actor, one, request, response));
  send(response, 200, isBatch ? results : (results[0] ?? {}));
}

/** The result of one operation of a request. */
async function operate<A extends { readonly admin: boolean }>(
  options: CompatOptions<A>,
  documents: CompatDocuments,
  compat: GraphQLSchema,
  actor: A | null,
  { query, operationName, variables }: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ExecutionResult> {
  if (query.trim() === '') return { errors: [new GraphQLError('No query string was present')] };
  let prepared: Prepared;
  try {
    prepared = documents.prepare(query, operationName);
  } catch (error) {
    if (error instanceof InvalidDocument) return { errors: error.errors };
    throw error;
  }
  const { operation, size } = prepared;
  const isMutation = operation.operation === 'mutation';
  if (isMutation && request.method === 'GET') {
    throw new RefusedRequest(422, 'Mutations are forbidden in GET requests');
  }
  const most = ADMISSION[actor === null ? 'visitor' : actor.admin ? 'administrator' : 'user'];
  const tooMuch = tooComplex(size, most);
  if (tooMuch.length > 0) return { errors: tooMuch.map((message) => new GraphQLError(message)) };
  if (/\bephemeralAuthenticationToken\b/.test(query)) refuseCompression(response);
  options.noteOperation(request, operation.name?.value ?? null);
  return runOperation(compat, prepared, variables, (document, given) => {
    const [definition] = document.definitions;
    const isChange = definition?.kind === 'OperationDefinition' && definition.operation === 'mutation';
    return options.execute(actor, request, { document, variables: given, isMutation: isChange });
  });
}

function refuse<A extends { readonly admin: boolean }>(
  { report, transientFailure }: CompatOptions<A>,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (response.headersSent) return void response.destroy();
  if (error instanceof RefusedRequest) return void send(response, error.status, told(error.message));
  const known = error instanceof DomainError ? error : transientFailure(error);
  if (!known) {
    report(error, request);
    return void send(response, 500, told('Internal server error'));
  }
  const { retryAfter } = known.extensions;
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  const isToken = known.code === 'UNAUTHENTICATED';
  send(response, HTTP_STATUS[known.code], told(isToken ? 'Invalid token' : known.message));
}

function told(message: string): object {
  return { errors: [{ message }] };
}

/** The answer is always plain JSON, whatever the client accepts. */
function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

function allowOrigins({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, OPTIONS');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Private-Token, Content-Type, Accept, X-Requested-With, X-CSRF-Token',
  );
}
