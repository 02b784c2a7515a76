import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Fields of any type that hold a credential or an encrypted value. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'instanceId',
  'privateToken',
  'recoveryCodes',
  'registrationToken',
  'runnersToken',
  'secret',
  'token',
  'uri',
  'value',
  'viewerMailInAddress',
]);

const known = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether an operation selects a secret anywhere, under any alias. Each fragment is visited once. */
export function selectsSecrets(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const found = known.get(operation);
  if (found !== undefined) return found;
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const selects = hasSecret(operation.selectionSet, fragments, new Set());
  known.set(operation, selects);
  return selects;
}

function hasSecret(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  seen: Set<string>,
): boolean {
  return selections.some((selection) => {
    if (selection.kind === Kind.FIELD) {
      if (SECRET_FIELDS.has(selection.name.value)) return true;
      return selection.selectionSet !== undefined && hasSecret(selection.selectionSet, fragments, seen);
    }
    if (selection.kind === Kind.INLINE_FRAGMENT) return hasSecret(selection.selectionSet, fragments, seen);
    const name = selection.name.value;
    const fragment = fragments.get(name);
    if (!fragment || seen.has(name)) return false;
    seen.add(name);
    return hasSecret(fragment.selectionSet, fragments, seen);
  });
}
