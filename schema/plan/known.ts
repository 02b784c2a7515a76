import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { Plan } from '#schema/plan/plan.ts';

/**
 * The total size of cached plans, and of the largest: in fields, each of which takes up to 4 KB. Fields count once per fragment
 * spread, and the text of the document, which is cached with its plan, counts too.
 */
const MAX_CACHED_FIELDS = 10_000;
const MAX_CACHED_PLAN_FIELDS = 2_000;
/** Characters of a document that count as one field: a parsed character takes up to a hundred bytes. */
const TEXT = 40;

/** The plans of the server's own documents, which repeat; null if there is none. */
const own = new WeakMap<OperationDefinitionNode, Plan | null>();
const seen = new WeakSet<OperationDefinitionNode>();
const kept = new LRUCache<OperationDefinitionNode, { plan: Plan | null; size: number }>({
  maxSize: MAX_CACHED_FIELDS,
  maxEntrySize: MAX_CACHED_PLAN_FIELDS,
  sizeCalculation: ({ size }) => size,
});

/**
 * The plan of an operation: made when it arrives for the second time, or for the first if it is known to repeat. Null if
 * graphql-js has to execute it.
 */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isRepeated: boolean,
): Plan | null {
  const known = own.has(operation) ? own.get(operation) : kept.get(operation)?.plan;
  if (known !== undefined) return known;
  if (isRepeated) {
    const plan = Plan.of(schema, document, operation);
    own.set(operation, plan);
    return plan;
  }
  if (!seen.has(operation)) {
    seen.add(operation);
    return null;
  }
  const size = sizeOf(document, operation);
  if (size > MAX_CACHED_PLAN_FIELDS) return null;
  const plan = Plan.of(schema, document, operation);
  kept.set(operation, { plan, size });
  return plan;
}

/** The size of an operation's plan; stops counting at the maximum. */
function sizeOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one.selectionSet);
  }
  let size = Math.ceil((document.loc?.end ?? 0) / TEXT);
  const count = (set: SelectionSetNode | undefined) => {
    for (const selection of set?.selections ?? []) {
      size += 1;
      if (size > MAX_CACHED_PLAN_FIELDS) return;
      count(selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection.selectionSet);
    }
  };
  count(operation.selectionSet);
  return size;
}
