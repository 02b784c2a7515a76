import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { API_VERSION } from '#src/platform/api_version.ts';

/**
 * The document without what its client wants only from servers of a later version: `@gl_introduced(version:)` on fields and
 * fragments. What is removed is never looked at again, and neither are fragments and variables that nothing else needs; a selection
 * that has nothing left asks for `__typename`. The same document where nothing is removed.
 */
export function withoutLater(document: DocumentNode): DocumentNode {
  let removed = false;
  const later = ({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }) => {
    const isLater = (directives ?? []).some(isOfLater);
    removed ||= isLater;
    return isLater ? null : undefined;
  };
  const left = visit(document, {
    Field: later,
    FragmentSpread: later,
    InlineFragment: later,
    SelectionSet: {
      leave: (set) => (set.selections.length > 0 ? undefined : { ...set, selections: [TYPENAME] }),
    },
  });
  return removed ? withoutUnused(left) : document;
}

const TYPENAME = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } } as const;

function isOfLater({ name, arguments: given = [] }: DirectiveNode): boolean {
  if (name.value !== 'gl_introduced') return false;
  const value = given.find((one) => one.name.value === 'version')?.value;
  if (value?.kind !== Kind.STRING) return false;
  const [asked, own] = [partsOf(value.value), partsOf(API_VERSION)];
  for (let index = 0; index < 3; index++) {
    const [one = 0, other = 0] = [asked[index], own[index]];
    if (one !== other) return one > other;
  }
  return false;
}

function partsOf(version: string): number[] {
  return version.split('.', 3).map((part) => Number.parseInt(part, 10) || 0);
}

/** Removes fragments that are not spread any more, and variables that are not used. */
function withoutUnused(document: DocumentNode): DocumentNode {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const reached = new Set<string>();
  const variables = new Set<string>();
  const read = (definition: DocumentNode['definitions'][number]) => {
    visit(definition, {
      VariableDefinition: () => false,
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || reached.has(name.value)) return;
        reached.add(name.value);
        read(fragment);
      },
    });
  };
  for (const one of document.definitions) if (one.kind === Kind.OPERATION_DEFINITION) read(one);
  const isUsed = ({ variable }: VariableDefinitionNode) => variables.has(variable.name.value);
  const definitions = document.definitions.flatMap((one): DefinitionNode[] => {
    if (one.kind === Kind.FRAGMENT_DEFINITION) return reached.has(one.name.value) ? [one] : [];
    if (one.kind !== Kind.OPERATION_DEFINITION) return [one];
    return [{ ...one, variableDefinitions: (one.variableDefinitions ?? []).filter(isUsed) }];
  });
  return { ...document, definitions };
}
