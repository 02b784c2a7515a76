import { Kind, type OperationDefinitionNode, type ValueNode, valueFromASTUntyped } from 'graphql';
import type { Measure } from '#schema/measure.ts';
import { parseRef } from '#schema/refs.ts';

/** The project that an operation is about. */
export interface ProjectNamed {
  operation: OperationDefinitionNode;
  ref: number | string;
}

/** What a query calls its project: a variable's name, or the value itself; null where it has no one project. */
const known = new WeakMap<OperationDefinitionNode, ValueNode | null>();

/** What an operation may cost whose project is read before its caller's turn has come. */
const SMALL = 2_000;

/**
 * The project that a small query begins with; undefined where it begins with none, or several, or what names it is wrong.
 *
 * @param variables as the request has them
 */
export function projectNamed(
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { cost }: Measure,
): ProjectNamed | undefined {
  if (cost > SMALL) return undefined;
  const found = known.get(operation);
  const node = found === undefined ? nodeOf(operation) : found;
  known.set(operation, node);
  if (!node) return undefined;
  try {
    const ref = parseRef('Project', valueFromASTUntyped(node, variables));
    return typeof ref === 'object' ? undefined : { operation, ref };
  } catch {
    return undefined;
  }
}

function nodeOf({ operation, selectionSet }: OperationDefinitionNode): ValueNode | null {
  if (operation !== 'query') return null;
  const [field, ...others] = selectionSet.selections.filter(
    (one) => one.kind === Kind.FIELD && one.name.value === 'project',
  );
  if (field?.kind !== Kind.FIELD || others.length > 0) return null;
  return field.arguments?.find(({ name }) => name.value === 'ref')?.value ?? null;
}
