import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import { operationCosts, operations } from '#src/platform/observability/metrics/registry.ts';
import { noteOperation } from '#src/platform/observability/metrics/slow.ts';
import { traced } from '#src/platform/observability/tracing/tracer.ts';

/** An operation of GraphQL, be it a client's own or one behind REST. */
export interface OperationFacts {
  type: string;
  name: string | undefined;
}

/** Makes an operation a span, and logs it by its name if it was slow. */
export async function observeOperation<T>({ type, name }: OperationFacts, run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const attributes = {
    'graphql.operation.type': type,
    ...(name ? { 'graphql.operation.name': name.slice(0, 100) } : {}),
  };
  let waited = false;
  try {
    return await traced(`GraphQL ${type}`, { attributes }, run);
  } catch (error) {
    waited = error instanceof DatabaseUnavailable;
    throw error;
  } finally {
    // An operation is not slow because it waited for a database that is away; that is logged by itself.
    if (!waited) noteOperation(name, type, performance.now() - begun);
  }
}

/** Measures a client's own operation, with its turns. It failed if its result holds errors. */
export async function measureOperation<R extends { errors?: unknown }>(
  type: string,
  cost: number,
  run: () => Promise<R>,
): Promise<R> {
  const begun = performance.now();
  operationCosts.observe({ type }, cost);
  let outcome = 'error';
  try {
    const result = await run();
    if (!result.errors) outcome = 'ok';
    return result;
  } finally {
    operations.observe({ type, outcome }, (performance.now() - begun) / 1000);
  }
}
