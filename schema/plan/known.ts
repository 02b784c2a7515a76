import type { DocumentNode, GraphQLSchema } from 'graphql';
import { Plan } from '#schema/plan/plan.ts';

/** The plans of a document by the names of its operations; null for what has none. */
type Known = Map<string, Plan | null>;

const plans = new WeakMap<DocumentNode, Known>();

/**
 * The plan of an operation: worked out when a document comes for the second time, or for the first where it is known to come
 * again. Plans live as long as their documents, of which only so many are kept (schema/documents.ts). Null where graphql-js
 * has to execute it.
 */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName = '', comesAgain }: { operationName?: string | undefined; comesAgain: boolean },
): Plan | null {
  const known = plans.get(document);
  if (known === undefined) {
    const first: Known = new Map();
    plans.set(document, first);
    if (!comesAgain) return null;
  }
  const plan = known?.get(operationName);
  if (plan !== undefined) return plan;
  const made = Plan.of(schema, document, operationName || null);
  plans.get(document)?.set(operationName, made);
  return made;
}
