import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { DEFAULT_LIMIT, MAX_LIMIT } from '#schema/connection.ts';
import { COSTS, COUNTED, SIZES } from '#schema/costs.ts';

/** The size of an operation; fragments count once per spread. */
export interface Measure {
  /** Levels of fields. */
  depth: number;
  /** Fields, each multiplied by the sizes of the lists around it (costs.ts). */
  cost: number;
  aliases: number;
  /** Spreads of named fragments. */
  spreads: number;
  /** `__schema` and `__type`. */
  introspections: number;
  /** Levels of fields below these, which count as neither depth nor cost. */
  introspectionDepth: number;
  introspectionCost: number;
}

const NOTHING: Measure = {
  depth: 0,
  cost: 0,
  aliases: 0,
  spreads: 0,
  introspections: 0,
  introspectionDepth: 0,
  introspectionCost: 0,
};

/** The introspection fields; an operation may have one of them. */
const INTROSPECTION = new Set(['__schema', '__type']);

/** The measure of an operation, and the list sizes from its variables. */
interface Measured {
  schema: GraphQLSchema;
  sizes: Size[];
  measure: Measure;
}

const known = new WeakMap<OperationDefinitionNode, Measured>();

/**
 * Measures an operation of a document; again only if its variables change the sizes of lists. Each fragment is visited once,
 * however often it is spread. Fields missing in the schema count as one.
 *
 * @param variables as requested, for sizes of lists; absent ones have their defaults
 */
export function measure(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
  variables: Readonly<Record<string, unknown>>,
): Measure {
  const given = withDefaults(operation, variables);
  const last = known.get(operation);
  if (last?.schema === schema && last.sizes.every(({ of, value }) => of(given) === value)) return last.measure;
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const root = schema.getRootType(operation.operation) ?? undefined;
  const measuring = new Measuring(schema, fragments, given);
  const measured = measuring.selection(operation.selectionSet, root);
  known.set(operation, { schema, sizes: measuring.sizes, measure: measured });
  return measured;
}

type Variables = ReadonlyMap<string, unknown>;

/** A size that depends on a variable. */
interface Size {
  of: (variables: Variables) => number | null;
  value: number | null;
}

class Measuring {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  readonly sizes: Size[] = [];
  /** A fragment being measured counts as nothing within itself: validation rejects such cycles. */
  readonly #measured = new Map<string, Measure>();

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  selection({ selections }: SelectionSetNode, type: GraphQLCompositeType | undefined): Measure {
    const sum = { ...NOTHING };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) add(sum, this.#field(selection, type));
      else if (selection.kind === Kind.FRAGMENT_SPREAD) add(sum, this.#fragment(selection.name.value));
      else add(sum, this.selection(selection.selectionSet, this.#named(selection.typeCondition?.name.value) ?? type));
    }
    return sum;
  }

  #fragment(name: string): Measure {
    const fragment = this.#fragments.get(name);
    let measured = this.#measured.get(name);
    if (!measured && fragment) {
      this.#measured.set(name, NOTHING);
      measured = this.selection(fragment.selectionSet, this.#named(fragment.typeCondition.name.value));
      this.#measured.set(name, measured);
    }
    const inner = measured ?? NOTHING;
    return { ...inner, spreads: inner.spreads + 1 };
  }

  #field(node: FieldNode, type: GraphQLCompositeType | undefined): Measure {
    const name = node.name.value;
    const field = type && this.#schema.getField(type, name);
    const named = field && getNamedType(field.type);
    const inside = named && isCompositeType(named) ? named : undefined;
    const inner = node.selectionSet ? this.selection(node.selectionSet, inside) : NOTHING;
    const below = inner.cost * this.#size(node, `${type?.name}.${name}`, field);
    const cost = Math.min(Number.MAX_SAFE_INTEGER, (COSTS[`${type?.name}.${name}`] ?? 1) + below);
    const aliases = inner.aliases + (node.alias ? 1 : 0);
    if (!INTROSPECTION.has(name)) return { ...inner, depth: inner.depth + 1, cost, aliases };
    const introspection = { introspections: 1, introspectionDepth: inner.depth, introspectionCost: cost };
    return { ...NOTHING, ...introspection, depth: 1, cost: 1, aliases, spreads: inner.spreads };
  }

  /** How many records a field may have. */
  #size(
    { arguments: given = [] }: FieldNode,
    place: string,
    field: { readonly args: readonly { readonly name: string }[] } | undefined,
  ): number {
    const list = given.find(({ name }) => name.value === COUNTED[place]);
    if (list) return this.#length(list.value);
    if (!field?.args.some(({ name }) => name === 'limit')) return SIZES[place] ?? 1;
    const sizes = given.filter(({ name }) => ['first', 'last', 'limit'].includes(name.value));
    const asked = sizes.map(({ value }) => this.#number(value)).filter((size) => size !== null);
    return asked.length === 0 ? DEFAULT_LIMIT : Math.max(1, ...asked.map((size) => Math.min(size, MAX_LIMIT)));
  }

  /** The number that a value stands for, null for null; anything else counts as the maximum, and is rejected later. */
  #number(node: ValueNode): number | null {
    if (node.kind !== Kind.VARIABLE) return asNumber(literal(node));
    return this.#given((variables) => asNumber(variables.get(node.name.value) ?? null));
  }

  /** How many entries a list has. A single value counts as one, an unknown list as the maximum. */
  #length(node: ValueNode): number {
    if (node.kind === Kind.LIST) return Math.max(1, node.values.length);
    if (node.kind !== Kind.VARIABLE) return 1;
    return this.#given((variables) => {
      const value = variables.get(node.name.value);
      if (value === undefined) return MAX_LIMIT;
      return Array.isArray(value) ? Math.max(1, value.length) : 1;
    });
  }

  #given<Value extends number | null>(of: (variables: Variables) => Value): Value {
    const value = of(this.#variables);
    this.sizes.push({ of, value });
    return value;
  }

  #named(name: string | undefined): GraphQLCompositeType | undefined {
    const type = name === undefined ? undefined : this.#schema.getType(name);
    return type && isCompositeType(type) ? type : undefined;
  }
}

function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Variables {
  return new Map(
    variableDefinitions.map(({ variable: { name }, defaultValue }) => {
      const given = Object.hasOwn(variables, name.value) ? variables[name.value] : undefined;
      return [name.value, given === undefined && defaultValue ? literal(defaultValue) : given];
    }),
  );
}

function asNumber(value: unknown): number | null {
  return value === null || typeof value === 'number' ? value : MAX_LIMIT;
}

function literal(node: ValueNode): unknown {
  if (node.kind === Kind.NULL) return null;
  return node.kind === Kind.INT ? Number(node.value) : undefined;
}

function add(sum: Measure, part: Measure): void {
  sum.depth = Math.max(sum.depth, part.depth);
  sum.introspectionDepth = Math.max(sum.introspectionDepth, part.introspectionDepth);
  for (const name of ['cost', 'aliases', 'spreads', 'introspections', 'introspectionCost'] as const) {
    sum[name] = Math.min(Number.MAX_SAFE_INTEGER, sum[name] + part[name]);
  }
}
