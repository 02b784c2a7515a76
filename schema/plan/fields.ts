import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';

/** The fragments of a document by name. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The selections of a document with one response name. */
export interface Selected {
  /** Response name. */
  name: string;
  /** All selections of that name; the first has the arguments. */
  nodes: [FieldNode, ...FieldNode[]];
  /** Whether it is included with these variables; null if always. */
  wanted: ((variables: VariableValues) => boolean) | null;
}

/** The fields selected of objects of a type, in response order (GraphQL specification, CollectFields). */
export function collectFields(
  schema: GraphQLSchema,
  fragments: Fragments,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Selected[] {
  const found = new Map<string, { nodes: FieldNode[]; conditions: DirectiveNode[][] }>();
  const collect = (set: SelectionSetNode, above: readonly DirectiveNode[]) => {
    for (const selection of set.selections) {
      const conditions = [...above, ...(selection.directives ?? [])];
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        const entry = found.get(name) ?? { nodes: [], conditions: [] };
        found.set(name, entry);
        entry.nodes.push(selection);
        entry.conditions.push(conditions);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      if (fragment && applies(schema, type, fragment.typeCondition?.name.value)) {
        collect(fragment.selectionSet, conditions);
      }
    }
  };
  for (const set of sets) collect(set, []);
  return [...found].map(([name, { nodes, conditions }]) => ({
    name,
    nodes: nodes as Selected['nodes'],
    wanted: conditions.some((all) => all.length === 0) ? null : whenAny(conditions),
  }));
}

function applies(schema: GraphQLSchema, type: GraphQLObjectType, condition: string | undefined): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}

/** Included if any of several selections is, each of which must pass all of its directives. */
function whenAny(ways: readonly DirectiveNode[][]): (variables: VariableValues) => boolean {
  const tests = ways.map((directives) => directives.map(passes));
  return (variables) => tests.some((all) => all.every((test) => test(variables)));
}

/** Evaluates `@include` and `@skip`, whose argument is a boolean or a boolean variable, as validation ensures. */
function passes({ name, arguments: given }: DirectiveNode): (variables: VariableValues) => boolean {
  const value = given?.[0]?.value;
  const skips = name.value === 'skip';
  if (value?.kind === Kind.BOOLEAN) return () => value.value !== skips;
  if (value?.kind !== Kind.VARIABLE) return () => true;
  return ({ coerced }) => Boolean(coerced[value.name.value]) !== skips;
}
