import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Purpose } from '#src/access/permissions/actor.ts';

/** Mutations for which a scope of their own suffices (people-and-projects.md, Rules 2). */
const PURPOSES: Readonly<Record<string, Purpose>> = {
  createRunner: 'create_runner',
  updateRunner: 'change_runner',
  resetRunnerToken: 'change_runner',
  enableRunner: 'change_runner',
  disableRunner: 'change_runner',
  deleteRunner: 'change_runner',
};

/** Fields below each other, at the most: of the mutation, of the record in its payload, and of that. */
const MAX_FIELD_DEPTH = 3;

/**
 * The purpose of a mutation for which a scope of its own suffices: where all its fields have the same, and it selects nothing of
 * the records in their payloads but values, as it must not read what lies behind them. Undefined for all others.
 */
export function narrowPurpose(document: DocumentNode, operation: OperationDefinitionNode): Purpose | undefined {
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
  }
  const purposes = new Set<Purpose | undefined>();
  let isShallow = true;
  const walk = ({ selections }: SelectionSetNode, depth: number) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (depth === 1) purposes.add(PURPOSES[selection.name.value]);
        if (depth >= MAX_FIELD_DEPTH && selection.selectionSet) isShallow = false;
        else if (selection.selectionSet) walk(selection.selectionSet, depth + 1);
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragments.get(selection.name.value);
        if (inner) walk(inner, depth);
      }
    }
  };
  walk(operation.selectionSet, 1);
  const [only] = purposes;
  return isShallow && purposes.size === 1 ? only : undefined;
}
