import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import { clientOperations, operationCosts, operations } from '#src/platform/observability/metrics/registry.ts';
import { noteOperation } from '#src/platform/observability/metrics/slow.ts';
import { traced } from '#src/platform/observability/tracing/tracer.ts';

/** An operation of GraphQL, be it a client's own or one behind REST. */
export interface OperationFacts {
  type: string;
  name: string | undefined;
  /** The program that sent it, as it calls itself. */
  client?: string | undefined;
}

/** A client's own operation, with what it is called. */
export interface ClientFacts {
  type: string;
  cost: number;
  name: string | undefined;
  /** Null for programs that do not say. */
  client: string | null;
  /** Whether the caller has no account: then names do not count, as anybody may send any. */
  isVisitor: boolean;
}

/** Pairs of names that metrics tell apart, and characters of a name. */
const MAX_PAIRS = 500;
const MAX_NAME_LENGTH = 60;
const pairs = new Set<string>();

/** Makes an operation a span, and logs it by its name if it was slow. */
export async function observeOperation<T>({ type, name, client }: OperationFacts, run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const attributes = {
    'graphql.operation.type': type,
    ...(name ? { 'graphql.operation.name': name.slice(0, 100) } : {}),
    ...(client ? { 'graphql.client.name': client } : {}),
  };
  let waited = false;
  try {
    return await traced(`GraphQL ${type}`, { attributes }, run);
  } catch (error) {
    waited = error instanceof DatabaseUnavailable;
    throw error;
  } finally {
    // An operation is not slow because it waited for a database that is away; that is logged by itself.
    if (!waited) noteOperation(name, type, performance.now() - begun, client);
  }
}

/** Measures a client's own operation, with its turns. It failed if its result holds errors. */
export async function measureOperation<R extends { errors?: unknown }>(
  facts: ClientFacts,
  run: () => Promise<R>,
): Promise<R> {
  const { type, cost } = facts;
  const begun = performance.now();
  operationCosts.observe({ type }, cost);
  let outcome = 'error';
  try {
    const result = await run();
    if (!result.errors) outcome = 'ok';
    return result;
  } finally {
    operations.observe({ type, outcome }, (performance.now() - begun) / 1000);
    clientOperations.inc({ ...namesOf(facts), outcome });
  }
}

/** The names for metrics, of which there are few: empty ones where nothing was said. */
function namesOf({ name = '', client, isVisitor }: ClientFacts): { client: string; operation: string } {
  if (isVisitor) return { client: 'visitor', operation: '' };
  const names = { client: client ?? '', operation: name.slice(0, MAX_NAME_LENGTH) };
  const pair = JSON.stringify(names);
  if (pairs.size < MAX_PAIRS) pairs.add(pair);
  return pairs.has(pair) ? names : { client: 'other', operation: 'other' };
}
