import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { withCode, withToldErrors } from '#schema/answer/errors.ts';
import { readBodies } from '#schema/bodies.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Documents, type Measured, parsing } from '#schema/documents.ts';
import { maskError } from '#schema/errors.ts';
import { type Execution, executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { isJsonPost, jsonPost } from '#schema/json_post.ts';
import type { Limiter, Limits } from '#schema/limits.ts';
import { LongDocuments } from '#schema/long_documents.ts';
import { operationTurns } from '#schema/operation_turns.ts';
import { type Params, persistedDocuments, type TrustedDocuments } from '#schema/persisted_documents.ts';
import type { ErrorBehavior } from '#schema/plan/run.ts';
import { selectsSecrets } from '#schema/secret_fields.ts';
import type { Callers } from '#schema/subscriptions/caller.ts';
import { type Prepare, preparing } from '#schema/subscriptions/prepare.ts';
import { serverSentEvents, wantsEvents } from '#schema/subscriptions/server_sent_events.ts';
import type { Subscribing } from '#schema/subscriptions/subscribe.ts';
import { clientOf } from '#schema/usage/client.ts';
import { deprecatedParts } from '#schema/usage/deprecated_parts.ts';
import { pointsOf } from '#schema/usage/rate_limit.ts';
import { warningsOf } from '#schema/usage/warnings.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { DeprecatedUses } from '#src/domain/administration/deprecated_uses.ts';
import type { SubscriptionHub } from '#src/domain/live/hub.ts';
import { type LiveLimits, subscriptionQuota } from '#src/domain/live/subscription_quota.ts';
import { allowCompression, refuseCompression } from '#src/platform/compressible.ts';
import type { BudgetLimits } from '#src/platform/limits/budget.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { HourlyBudget } from '#src/platform/limits/hourly_budget.ts';
import { measureOperation } from '#src/platform/observability/metrics/operations.ts';

export interface GraphQLServerOptions {
  /** Identifies the caller. Throws DomainErrors. */
  contextOf(request: IncomingMessage): Promise<GraphQLContext>;
  /** Receives errors that clients do not see. */
  report(error: unknown): void;
  limits: Limits;
  /** The database budget of an operation. */
  budget?: BudgetLimits | undefined;
  /** Limits how many requests of a caller run at once. */
  turns: CallerSemaphore;
  /** The only documents that are executed; any when absent. */
  trustedDocuments?: TrustedDocuments | undefined;
  /** What subscriptions need. */
  live: LiveServing;
  /** Counts what is used that is deprecated. */
  uses: DeprecatedUses;
  /** Records the names of an operation and of the program that sent it, for the log. */
  noteOperation(request: IncomingMessage, operation: string | null, client: string | null): void;
}

/** Receives changes, and limits subscriptions. */
export interface LiveServing {
  hub: SubscriptionHub | null;
  callers: Callers;
  limits: LiveLimits;
}

/** Handles requests for /graphql, and provides what WebSockets need. */
export interface GraphQLServer {
  (request: IncomingMessage, response: ServerResponse): Promise<void> | void;
  subscribing: Subscribing;
  prepare: Prepare;
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

/** The handler for /graphql: GraphQL over HTTP. */
export function createGraphQLServer(options: GraphQLServerOptions): GraphQLServer {
  const { contextOf, report, limits, budget, trustedDocuments, live } = options;
  const documents = new Documents(schema, limits);
  const { hub, callers } = live;
  const subscribing: Subscribing = {
    hub,
    quota: subscriptionQuota('subscriptions', live.limits),
    contextFor: (caller) => callers.contextFor(caller, null),
    report,
    budget,
  };
  const persisted = persistedDocuments(trustedDocuments);
  const long = new LongDocuments();
  const execute = executor(documents.limiter, (args) => executeWithin(args, report, budget), options);
  const events = serverSentEvents({ subscribing, callers, buffer: live.limits.buffer });
  // Handles GET, multipart and Server-Sent Events.
  const yoga = createYoga<{ req: IncomingMessage; res: ServerResponse } & Measured, GraphQLContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    logging: false,
    batching: { limit: limits.batch },
    extraParamNames: ['documentId', 'onError'],
    graphiql: false,
    // The size is checked before anything is read.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    maskedErrors: { maskError: (error) => maskError(error, report) },
    plugins: [
      readBodies(limits),
      persisted,
      longDocuments(long),
      parsing(documents),
      executing(execute),
      events.plugin,
      closedCodes(),
    ],
    context: ({ req }) => contextOf(req),
  });
  const handle = async (req: IncomingMessage, res: ServerResponse) =>
    yoga.handleNodeRequestAndResponse(req, res, { req, res });
  const post = jsonPost({
    ...{ schema, documents, persisted, long, contextOf },
    batch: limits.batch,
    execute: async (args) => withCodes(await execute(args)),
    told: (error) => withCode(maskError(error, report)),
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (wantsEvents(request)) return events.answer(handle, request, response);
    await (isJsonPost(request) ? post : yoga)(request, response);
  };
  return Object.assign(answer, { subscribing, prepare: preparing(schema, documents, persisted, long), execute });
}

/** Queues the processing of long documents. The caller is not identified yet, so callers are told apart by address. */
export function longDocuments(long = new LongDocuments()): Plugin {
  return {
    onParams({ params, context, paramsHandler, setParamsHandler }) {
      if (!long.isLong(params.query)) return;
      const { req } = context as { req?: { ip?: string } };
      const caller = callerOf(null, req?.ip ?? null);
      setParamsHandler((payload) => long.inTurn(caller, async () => paramsHandler(payload)));
    },
  };
}

type Executing = GraphQLContext & Measured & { params?: Params; req?: IncomingMessage; res?: ServerResponse };

function executing(execute: (args: ExecutionArgs) => Promise<ExecutionResult>): Plugin {
  return { onExecute: ({ setExecuteFn }) => setExecuteFn(execute) };
}

/** Runs operations in fair order, large ones one by one, and reports their cost on request. */
function executor(
  limiter: Limiter,
  execute: (args: Execution) => Promise<ExecutionResult>,
  { turns, limits, uses, noteOperation }: Pick<GraphQLServerOptions, 'turns' | 'limits' | 'uses' | 'noteOperation'>,
): (args: ExecutionArgs) => Promise<ExecutionResult> {
  const inTurnOf = operationTurns(turns);
  const points = new HourlyBudget();
  return async (args) => {
    const { schema, document, operationName, variableValues } = args;
    const { measure, params, actor, clientAddress, req, res } = args.contextValue as Executing;
    const onError = errorBehavior(params, req);
    // Every document is measured when it is parsed.
    if (!measure) throw new Error('The operation was not measured');
    const { cost } = measure;
    const operation = getOperationAST(document, operationName);
    const type = operation?.operation ?? 'unknown';
    if (res && operation) settleCompression(res, selectsSecrets(document, operation));
    const caller = callerOf(actor, clientAddress);
    const client = clientOf(params, req);
    const name = operation?.name?.value;
    if (req) noteOperation(req, name ?? null, client?.name ?? null);
    const parts = operation ? deprecatedParts(schema, document, operation) : [];
    if (parts.length > 0)
      uses.note(
        actor,
        client?.name ?? null,
        parts.map(({ field }) => field),
      );
    const inTurn = async () => {
      const taken = pointsOf(measure);
      const spent = { ...points.take(caller, taken, actor ? limits.points : limits.visitorPoints), cost: taken };
      const contextValue = { ...(args.contextValue as Executing), spent };
      const run = () => execute({ ...args, contextValue, onError, client: client?.name });
      return inTurnOf({ actor, clientAddress }, measure, run);
    };
    const facts = { type, cost, name, client: client?.name ?? null, isVisitor: actor === null };
    const executed = await measureOperation(facts, inTurn);
    const variables = variableValues ?? {};
    const result = withToldErrors(executed, { schema, document, operationName, variables });
    const warnings = warningsOf(parts);
    const wantsCost = req?.headers['graphql-cost'] !== undefined;
    if (!warnings && !wantsCost) return result;
    const told = { ...(wantsCost && { cost: limiter.report(measure) }), ...(warnings && { warnings }) };
    return { ...result, extensions: { ...result.extensions, ...told } };
  };
}

/** What the request says that errors do to the values around them. Throws GraphQLError. */
function errorBehavior(params: Params | undefined, request: IncomingMessage | undefined): ErrorBehavior {
  const { method, url = '' } = request ?? {};
  const inUrl = method === 'GET' ? new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('onError') : null;
  const onError = params?.onError ?? inUrl ?? 'PROPAGATE';
  if (onError === 'PROPAGATE' || onError === 'NULL') return onError;
  const message = 'The parameter "onError" must be "PROPAGATE" or "NULL".';
  throw new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
}

/** One secret prevents compressing the responses of a whole batch. */
function settleCompression(response: ServerResponse, isSecret: boolean): void {
  if (isSecret) refuseCompression(response);
  else allowCompression(response);
}

/** Gives errors of yoga itself a listed code, as all errors have. */
function closedCodes(): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (Symbol.asyncIterator in result) return;
      setResult(Array.isArray(result) ? result.map(withCodes) : withCodes(result));
    },
  };
}

function withCodes<R extends object>(result: R): R {
  return 'errors' in result && Array.isArray(result.errors)
    ? { ...result, errors: result.errors.map(withCode) }
    : result;
}
