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
import { COSTS, COUNTED, figureOf, SIZES } from '#schema/costs.ts';

/** The size of an operation; fragments count once per spread. */
export interface Measure {
  /** Levels of fields; the form of a list (`edges`, `nodes`, `node`) is none. */
  depth: number;
  /** Fields, each multiplied by the sizes of the lists around it (costs.ts); values of a record count a tenth each. */
  cost: number;
  /** Records that all lists can have together. */
  records: number;
  aliases: number;
  /** Spreads of named fragments. */
  spreads: number;
  /** `__schema` and `__type`. */
  introspections: number;
  /** Levels of fields below these, which count as neither depth nor cost. */
  introspectionDepth: number;
  introspectionCost: number;
}

/** A measure while it is added up. */
interface Part extends Measure {
  /** Costs are in this many parts. */
  cost: number;
  /** The part of the cost that a list has once, not for each of its records. */
  once: number;
}

/** The parts of a cost of 1. */
const PARTS = 10;

const NOTHING: Part = {
  depth: 0,
  cost: 0,
  once: 0,
  records: 0,
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
 * however often it is spread. Fields missing in the schema count as values.
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
  const { once: _, cost, ...counts } = measuring.selection(operation.selectionSet, root);
  const measured = { ...counts, cost: Math.ceil(cost / PARTS) };
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
  readonly #measured = new Map<string, Part>();

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  selection({ selections }: SelectionSetNode, type: GraphQLCompositeType | undefined): Part {
    const sum = { ...NOTHING };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) add(sum, this.#field(selection, type));
      else if (selection.kind === Kind.FRAGMENT_SPREAD) add(sum, this.#fragment(selection.name.value));
      else add(sum, this.selection(selection.selectionSet, this.#named(selection.typeCondition?.name.value) ?? type));
    }
    return sum;
  }

  #fragment(name: string): Part {
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

  #field(node: FieldNode, type: GraphQLCompositeType | undefined): Part {
    const name = node.name.value;
    const field = type && this.#schema.getField(type, name);
    const named = field && getNamedType(field.type);
    const inside = named && isCompositeType(named) ? named : undefined;
    const inner = node.selectionSet ? this.selection(node.selectionSet, inside) : NOTHING;
    const aliases = inner.aliases + (node.alias ? 1 : 0);
    if (isForm(type?.name, name)) return { ...inner, aliases };
    const isValue = type !== undefined && !type.name.startsWith('__') && !inside && !field?.args.length;
    const own = figureOf(COSTS, this.#schema, type?.name, name) ?? (isValue ? VALUE : 1);
    const size = this.#size(node, type?.name, field);
    const whole = bounded(own * PARTS + inner.once + inner.cost * size);
    const records = size === 1 ? inner.records : bounded(size * (1 + inner.records));
    if (INTROSPECTION.has(name)) {
      const introspection = { introspections: 1, introspectionDepth: inner.depth, introspectionCost: whole / PARTS };
      return { ...NOTHING, ...introspection, depth: 1, cost: PARTS, aliases, spreads: inner.spreads };
    }
    const isOnce = isConnection(type?.name);
    const cost = isOnce ? { cost: 0, once: whole } : { cost: whole, once: 0 };
    return { ...inner, ...cost, records, depth: inner.depth + 1, aliases };
  }

  /** How many records a field may have. */
  #size(
    { name: { value: name }, arguments: given = [] }: FieldNode,
    type: string | undefined,
    field: { readonly args: readonly { readonly name: string }[] } | undefined,
  ): number {
    const list = given.find((one) => one.name.value === COUNTED[`${type}.${name}`]);
    if (list) return this.#length(list.value);
    if (!field?.args.some(({ name }) => name === 'limit')) return figureOf(SIZES, this.#schema, type, name) ?? 1;
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

/** What the values of a record cost, which come with it. */
const VALUE = 1 / PARTS;

function isConnection(type: string | undefined): boolean {
  return type?.endsWith('Connection') ?? false;
}

/** Whether a field only leads to the records of a list. */
function isForm(type: string | undefined, field: string): boolean {
  if (field === 'node') return type?.endsWith('Edge') ?? false;
  return isConnection(type) && (field === 'edges' || field === 'nodes');
}

function bounded(count: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, count);
}

function add(sum: Part, part: Part): void {
  sum.depth = Math.max(sum.depth, part.depth);
  sum.introspectionDepth = Math.max(sum.introspectionDepth, part.introspectionDepth);
  for (const name of [
    'cost',
    'once',
    'records',
    'aliases',
    'spreads',
    'introspections',
    'introspectionCost',
  ] as const) {
    sum[name] = bounded(sum[name] + part[name]);
  }
}
