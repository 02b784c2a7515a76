import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { withExisting } from '#schema/answer/existing.ts';
import { contextFor, contextOn, type GraphQLContext } from '#schema/context.ts';
import { maskError } from '#schema/errors.ts';
import { narrowPurpose } from '#schema/narrow.ts';
import { planOf } from '#schema/plan/known.ts';
import { Plan } from '#schema/plan/plan.ts';
import type { ErrorBehavior } from '#schema/plan/run.ts';
import {
  type Actor,
  isReading,
  outOfReach,
  type Purpose,
  reachesAnything,
  reachesApi,
} from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { ReadReplica } from '#src/platform/database/replica.ts';
import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import type { DomainError } from '#src/platform/errors.ts';
import { Budget, type BudgetLimits, type CountedList, within } from '#src/platform/limits/budget.ts';
import { observeOperation } from '#src/platform/observability/metrics/operations.ts';

/** An operation to execute, with options. */
export interface Execution extends ExecutionArgs {
  /** Whether the document is one of REST's, which are few and repeat: worth an immediate plan and named statements. */
  isRepeated?: boolean;
  /** The purpose of the operation: reading when absent, and of mutations what they do; null if the request counts as a change. */
  purpose?: Purpose | null;
  /** What errors do to the values around them; they reach up to the next nullable place when absent. */
  onError?: ErrorBehavior | undefined;
  /** The program that sent the operation, as it calls itself. */
  client?: string | undefined;
  /** The list that is counted only so far. */
  counted?: CountedList | undefined;
}

/**
 * Executes an operation within a budget of its own, and masks internal errors. A query is aborted with one error when it exceeds
 * the budget; a mutation is completed, as its effects stay.
 *
 * @param report receives errors that clients do not see
 */
export async function executeWithin(
  execution: Execution,
  report: (error: unknown) => void,
  limits?: BudgetLimits,
): Promise<ExecutionResult> {
  const context = execution.contextValue as GraphQLContext;
  if (context.replica === undefined) return executeOnce(execution, report, limits);
  const type = getOperationAST(execution.document, execution.operationName)?.operation;
  const found = type === 'query' ? await readOnReplica(execution, context.replica, limits) : null;
  if (found) return found;
  const result = await executeOnce(execution, report, limits);
  // What was changed stays so, whether it can be remembered or not.
  if (type === 'mutation') await context.replica.wrote(callerOf(context.actor, context.clientAddress)).catch(report);
  return result;
}

/**
 * Executes a query on a copy of the database. Null where the database itself has to answer: for who has just written, for browsers, which
 * are told of changes of others and then read, and where the copy failed.
 */
async function readOnReplica(
  execution: Execution,
  replica: ReadReplica,
  limits: BudgetLimits | undefined,
): Promise<ExecutionResult | null> {
  const context = execution.contextValue as GraphQLContext;
  const { actor, clientAddress } = context;
  if (actor?.credential === 'session') return null;
  // Where the database is away, it says so itself.
  const db = await replica.readerFor(callerOf(actor, clientAddress)).catch(() => null);
  if (!db) return null;
  let hasFailed = false;
  const note = (error: unknown) => {
    hasFailed = true;
    if (error instanceof DatabaseUnavailable) replica.suspect(error);
  };
  try {
    const result = await executeOnce({ ...execution, contextValue: contextOn(context, db) }, note, limits);
    const isAway = result.errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE');
    if (isAway) replica.suspect('The database is away');
    return hasFailed || isAway ? null : result;
  } catch (error) {
    note(error);
    return null;
  }
}

async function executeOnce(
  { isRepeated = false, purpose = 'read', onError = 'PROPAGATE', client, counted, ...given }: Execution,
  report: (error: unknown) => void,
  limits?: BudgetLimits,
): Promise<ExecutionResult> {
  using budget = new Budget(limits, { isForeign: !isRepeated, counted });
  const operation = getOperationAST(given.document, given.operationName);
  const isMutation = operation?.operation === 'mutation';
  const { actor } = given.contextValue as GraphQLContext;
  const isNarrow = isMutation && isReading(purpose) && actor && !reachesApi(actor);
  const own = isNarrow ? narrowPurpose(given.document, operation) : isMutation && isReading(purpose) ? null : purpose;
  const contextValue = contextFor(given.contextValue as GraphQLContext, own ?? undefined);
  const args = { ...given, contextValue };
  const facts = { type: operation?.operation ?? 'unknown', name: operation?.name?.value, client };
  const over = () => {
    const { exceeded } = budget;
    return exceeded && [asGraphQLError(exceeded)];
  };
  const shown = (error: GraphQLError) => {
    const masked = maskError(error, report, args.variableValues);
    return isMutation && (masked.path?.length ?? 0) > 1 ? afterCommit(masked) : masked;
  };
  try {
    const signal = isMutation ? undefined : budget.signal;
    const answer = () =>
      runFor(contextValue.actor, isMutation, () => run(args, operation, { isRepeated, signal, onError }));
    const result = await within(budget, () => observeOperation(facts, answer));
    if (!result.errors) return result;
    const errors = over() ?? result.errors.map(shown);
    if (!isMutation || isRepeated) return { ...result, errors };
    const ask = (document: DocumentNode, variableValues: Record<string, unknown>) =>
      within(budget, async () => execute({ ...args, document, operationName: undefined, variableValues }));
    return { ...result, errors: await withExisting(errors, args.schema, contextValue, ask) };
  } catch (error) {
    const errors = over();
    if (!errors) throw error;
    return { errors };
  }
}

/**
 * Runs an operation if the caller's credential allows it. Without any access to the API it gets no data, not even public data.
 */
async function runFor(
  actor: Actor | null,
  isMutation: boolean,
  work: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (!actor || reachesAnything(actor)) return work();
  // If the domain requires a scope, its error is more precise.
  const { errors } = isMutation ? {} : await work();
  return { errors: errors ?? [asGraphQLError(outOfReach(actor))] };
}

/** An error in what a mutation shows: its change was made, and is not to be repeated. */
function afterCommit(error: GraphQLError): GraphQLError {
  const { message, nodes, path, originalError } = error;
  return new GraphQLError(message, {
    nodes,
    path,
    originalError,
    extensions: { ...error.extensions, committed: true },
  });
}

function asGraphQLError(error: DomainError): GraphQLError {
  return new GraphQLError(error.message, { originalError: error });
}

async function run(
  args: ExecutionArgs,
  operation: OperationDefinitionNode | null | undefined,
  { isRepeated, signal, onError }: { isRepeated: boolean; signal: AbortSignal | undefined; onError: ErrorBehavior },
): Promise<ExecutionResult> {
  const { variableValues, contextValue } = args;
  const plan = operation ? planFor(args, operation, isRepeated, onError) : null;
  if (plan) return plan.execute(variableValues ?? {}, contextValue, signal, onError);
  return execute({ ...args, ...(signal && { abortSignal: signal }) });
}

/** Null where graphql-js executes the operation, which knows one way of errors alone: for introspection, whose fields have none. */
function planFor(
  { schema, document }: ExecutionArgs,
  operation: OperationDefinitionNode,
  isRepeated: boolean,
  onError: ErrorBehavior,
): Plan | null {
  const plan = planOf(schema, document, operation, isRepeated);
  return plan ?? (onError === 'NULL' ? Plan.of(schema, document, operation) : null);
}
