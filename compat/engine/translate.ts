import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  parseType,
  type SelectionNode,
  type SelectionSetNode,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import { argumentsKey } from '#compat/engine/arguments_key.ts';
import type { CoreArgs, Entry, Given, Run, Shape, Site, Table, View } from '#compat/engine/table.ts';
import { collectFields } from '#schema/plan/fields.ts';

/** An operation of the core graph that stands for one of a client, and the function that shapes its answer. */
export interface Translation {
  readonly document: DocumentNode;
  /** Computes the variables of the core operation. */
  variables(run: ShapingRun): Record<string, unknown>;
  /** Makes the client's answer of that of the core graph. */
  readonly shape: Shape;
  /** The response names of the client by those of the core operation, for the paths of errors. */
  readonly names: ReadonlyMap<string, string>;
  /** The selected fields of the root, for what they do before the core operation. */
  readonly roots: readonly Root[];
}

/** A selected field of the root. */
export interface Root {
  readonly site: Site;
  readonly entry: Entry;
  /** Whether `@include` and `@skip` leave it in; absent where they do not stand. */
  readonly wanted?: ((variables: never) => boolean) | undefined;
}

/** A run as the shapes of translations need it. */
export interface ShapingRun extends Run {
  /** The variables of the client's operation. */
  readonly variables: { readonly coerced: Readonly<Record<string, unknown>> };
}

/** The two graphs, and the root tables by the kinds of operations. */
export interface Graphs {
  readonly compat: GraphQLSchema;
  readonly core: GraphQLSchema;
  readonly roots: Readonly<Record<'query' | 'mutation', Table>>;
}

/** Translates an operation of a document that is valid in the compatibility schema. */
export function translate(graphs: Graphs, document: DocumentNode, operation: OperationDefinitionNode): Translation {
  return new Translating(graphs, document).operation(operation);
}

/** The response names of introspection, which is answered by the compatibility schema itself. */
const INTROSPECTION = new Set(['__schema', '__type']);

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

interface Call {
  readonly alias: string;
  readonly args: readonly ArgumentNode[];
}

export class Translating {
  readonly graphs: Graphs;
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly #calls = new Map<string, Call>();
  readonly #variables = new Map<string, string>();
  readonly #conditions = new Map<string, string>();
  readonly #definitions: VariableDefinitionNode[] = [];
  readonly #computed: { name: string; value: (run: Run) => unknown }[] = [];

  constructor(graphs: Graphs, { definitions }: DocumentNode) {
    this.graphs = graphs;
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = Object.fromEntries(fragments.map((one) => [one.name.value, one]));
  }

  operation({ operation: kind, selectionSet }: OperationDefinitionNode): Translation {
    const table = this.graphs.roots[kind as 'query' | 'mutation'];
    const selections = this.inside(table, [selectionSet]);
    const shape = this.object(table, [selectionSet]);
    const { names, roots } = this.#rootsOf(table, selectionSet);
    const conditions = [...this.#conditions];
    for (const [, variable] of conditions) this.#define(variable, parseType('Boolean!'));
    const definition: OperationDefinitionNode = {
      kind: Kind.OPERATION_DEFINITION,
      operation: kind,
      variableDefinitions: this.#definitions,
      selectionSet: setOf(selections),
    };
    const computed = this.#computed;
    return {
      document: { kind: Kind.DOCUMENT, definitions: [definition] },
      variables: (run) => {
        const values: Record<string, unknown> = {};
        for (const { name, value } of computed) {
          const given = value(run);
          if (given !== undefined) values[name] = given;
        }
        for (const [name, variable] of conditions) values[variable] = run.variables.coerced[name] ?? null;
        return values;
      },
      shape,
      names,
      roots,
    };
  }

  /** What selections on a type of the compatibility schema need of the record of its table. */
  inside(table: Table, sets: readonly SelectionSetNode[]): SelectionNode[] {
    const type = this.#typeOf(table);
    const core = this.coreType(table.core);
    const found: SelectionNode[] = [];
    for (const set of sets) this.#collect(set, table, type, core, found);
    return found.length > 0 ? found : [TYPENAME];
  }

  #collect(
    { selections }: SelectionSetNode,
    table: Table,
    type: GraphQLObjectType,
    core: GraphQLCompositeType,
    found: SelectionNode[],
  ): void {
    for (const selection of selections) {
      const inner: SelectionNode[] = [];
      if (selection.kind === Kind.FIELD) {
        const site = this.#site(table, type, core, [selection]);
        if (site) inner.push(...site.entry.select(site));
      } else {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments[selection.name.value];
        if (!fragment || !this.#applies(type, fragment.typeCondition?.name.value)) continue;
        this.#collect(fragment.selectionSet, table, type, core, inner);
      }
      found.push(...this.#guarded(selection.directives, inner));
    }
  }

  /** Selections in the conditions of `@include` and `@skip`, whose variables become those of the core operation. */
  #guarded(directives: readonly DirectiveNode[] = [], selections: SelectionNode[]): SelectionNode[] {
    const conditions = directives.filter(({ name }) => name.value === 'include' || name.value === 'skip');
    if (conditions.length === 0 || selections.length === 0) return selections;
    const named = conditions.map((directive) => ({
      ...directive,
      arguments: directive.arguments?.map((argument) => {
        if (argument.value.kind !== Kind.VARIABLE) return argument;
        const { value: name } = argument.value.name;
        const variable = `if_${name}`;
        this.#conditions.set(name, variable);
        return { ...argument, value: variableNode(variable) };
      }),
    }));
    return [{ kind: Kind.INLINE_FRAGMENT, directives: named, selectionSet: setOf(selections) } as SelectionNode];
  }

  /** Makes the selected fields of an object of a type of the compatibility schema of a record of its table. */
  object(table: Table, sets: readonly SelectionSetNode[]): Shape {
    const type = this.#typeOf(table);
    const core = this.coreType(table.core);
    const fields = collectFields(this.graphs.compat, this.#fragments, type, sets).flatMap(({ name, nodes, wanted }) => {
      if (nodes[0].name.value === '__typename') return [{ name, wanted, shape: () => type.name }];
      const site = this.#site(table, type, core, nodes);
      return site ? [{ name, wanted, shape: site.entry.shape(site) }] : [];
    });
    return (row, run) => {
      const made: Record<string, unknown> = {};
      // By index: this runs for each object of each answer.
      for (let index = 0; index < fields.length; index++) {
        const { name, wanted, shape } = fields[index] as (typeof fields)[number];
        if (wanted && !wanted((run as ShapingRun).variables as never)) continue;
        const value = shape(row, run) ?? null;
        run.count(value);
        made[name] = value;
      }
      return made;
    };
  }

  #site(
    table: Table,
    parent: GraphQLObjectType,
    core: GraphQLCompositeType,
    nodes: readonly FieldNode[],
  ): Place | null {
    const [{ name }] = nodes as [FieldNode];
    const field = parent.getFields()[name.value];
    // `__typename`, and introspection.
    if (!field) return null;
    const entry = table.fields[name.value];
    if (!entry) throw new Error(`The table ${table.type} of ${table.core} has no ${name.value}`);
    return new Place(this, entry, parent, field, nodes as Site['nodes'], core, table.scope);
  }

  /** The name of a variable of the core operation that is computed by the site; one for each tag. */
  variable(site: Site, tag: string, type: string, value: (given: Given, run: Run) => unknown): string {
    const key = `${site.key} ${tag}`;
    const known = this.#variables.get(key) ?? `v${this.#definitions.length + 1}`;
    if (this.#variables.has(key)) return known;
    this.#variables.set(key, known);
    this.#define(known, parseType(type));
    this.#computed.push({ name: known, value: (run) => value(run.given(site), run) });
    return known;
  }

  /** Tells apart what is asked at different sites; the same is asked where all of it is the same. */
  keyOf({ core, nodes: [node], parent, field }: Omit<Site, 'key'>, scope = ''): string {
    const isMutation = core === this.graphs.core.getMutationType();
    const own = isMutation ? (node.alias ?? node.name).value : argumentsKey(node);
    return `${scope} ${parent.name}.${field.name}(${own})`;
  }

  /** The call of a field of the core graph: the same one has the same response name, so that its selections are merged. */
  call(site: Site, name: string, args: CoreArgs): Call {
    const key = `${site.key} ${site.core.name}.${name} ${Object.keys(args)}`;
    const known = this.#calls.get(key);
    if (known) return known;
    const alias = `${name}_${this.#calls.size + 1}`;
    const isMutation = site.core === this.graphs.core.getMutationType();
    const field = this.graphs.core.getField(site.core, name);
    const nodes = Object.entries(args).map(([argument, value]): ArgumentNode => {
      const declared = field?.args.find((one) => one.name === argument);
      if (!declared) throw new Error(`${site.core.name}.${name} has no argument ${argument}`);
      // The input of a mutation that is refused before is never made, and its field not asked for.
      const mayBeAbsent = !isRequiredArgument(declared) || isMutation;
      const type = typeOf(declared.type, mayBeAbsent);
      const variable = this.variable(site, `${alias} ${argument}`, type, value);
      return { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: argument }, value: variableNode(variable) };
    });
    const call = { alias, args: nodes };
    this.#calls.set(key, call);
    return call;
  }

  /** The variables of the core operation so far. */
  definitions(): readonly VariableDefinitionNode[] {
    return this.#definitions;
  }

  #define(name: string, type: TypeNode): void {
    this.#definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable: variableNode(name), type });
  }

  #rootsOf(table: Table, set: SelectionSetNode): Pick<Translation, 'names' | 'roots'> {
    const names = new Map<string, string>();
    const roots: Root[] = [];
    const type = this.#typeOf(table);
    for (const { name, nodes, wanted } of collectFields(this.graphs.compat, this.#fragments, type, [set])) {
      if (INTROSPECTION.has(nodes[0].name.value)) continue;
      const site = this.#site(table, type, this.coreType(table.core), nodes);
      const note = (selections: readonly SelectionNode[]) => {
        for (const one of selections) {
          if (one.kind === Kind.FIELD) names.set((one.alias ?? one.name).value, name);
          else if (one.kind === Kind.INLINE_FRAGMENT) note(one.selectionSet.selections);
        }
      };
      if (!site) continue;
      roots.push({ site, entry: site.entry, wanted: wanted as Root['wanted'] });
      note(site.entry.select(site));
    }
    return { names, roots };
  }

  #typeOf(table: Table): GraphQLObjectType {
    const type = this.graphs.compat.getType(table.type);
    if (!isObjectType(type)) throw new Error(`The compatibility schema has no type ${table.type}`);
    return type;
  }

  coreType(name: string): GraphQLCompositeType {
    const type = this.graphs.core.getType(name);
    if (!isCompositeType(type)) throw new Error(`The core graph has no type ${name}`);
    return type;
  }

  #applies(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const named = this.graphs.compat.getType(condition);
    return isAbstractType(named) && this.graphs.compat.isSubType(named, type);
  }
}

/** A site of a document. */
class Place implements Site {
  readonly #translating: Translating;
  readonly #scope: string | undefined;
  readonly entry: Table['fields'][string];
  readonly parent: GraphQLObjectType;
  readonly field: Site['field'];
  readonly nodes: Site['nodes'];
  readonly core: GraphQLCompositeType;
  readonly key: string;

  constructor(
    translating: Translating,
    entry: Table['fields'][string],
    parent: GraphQLObjectType,
    field: Site['field'],
    nodes: Site['nodes'],
    core: GraphQLCompositeType,
    scope?: string,
  ) {
    this.#translating = translating;
    this.entry = entry;
    this.parent = parent;
    this.field = field;
    this.nodes = nodes;
    this.core = core;
    this.#scope = scope;
    this.key = translating.keyOf(this, scope);
  }

  of(core: string): Site {
    const { entry, parent, field, nodes } = this;
    return new Place(this.#translating, entry, parent, field, nodes, this.#translating.coreType(core), this.#scope);
  }

  call(name: string, args?: CoreArgs | null, inside?: readonly SelectionNode[]): FieldNode {
    const call = args ? this.#translating.call(this, name, args) : null;
    return {
      kind: Kind.FIELD,
      name: { kind: Kind.NAME, value: name },
      ...(call && { alias: { kind: Kind.NAME, value: call.alias }, arguments: call.args }),
      ...(inside && { selectionSet: setOf(inside) }),
    };
  }

  keyOf(name: string, args?: CoreArgs | null): string {
    return args ? this.#translating.call(this, name, args).alias : name;
  }

  when(
    condition: (given: Given, run: Run) => boolean,
    tag: string,
    selections: readonly SelectionNode[],
  ): SelectionNode {
    const value = variableNode(this.#translating.variable(this, `when ${tag}`, 'Boolean!', condition));
    const argument: ArgumentNode = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'if' }, value };
    const directive: DirectiveNode = {
      kind: Kind.DIRECTIVE,
      name: { kind: Kind.NAME, value: 'include' },
      arguments: [argument],
    };
    return { kind: Kind.INLINE_FRAGMENT, directives: [directive], selectionSet: setOf(selections) };
  }

  inside(view: View): SelectionNode[] {
    if (!('tables' in view)) return this.#translating.inside(view, this.#sets());
    return [...view.needs, ...view.tables.flatMap((table) => this.#translating.inside(table, this.#sets()))];
  }

  object(view: View): Shape {
    if (!('tables' in view)) return this.#translating.object(view, this.#sets());
    const shapes = new Map(view.tables.map((table) => [table.type, this.#translating.object(table, this.#sets())]));
    return (row, run) => shapes.get(view.typeOf(row))?.(row, run);
  }

  #sets(): SelectionSetNode[] {
    return this.nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
  }
}

function setOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections };
}

function variableNode(name: string) {
  return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } } as const;
}

/** The type of a variable for an argument, which may be left out where it has a default. */
function typeOf(type: GraphQLInputType, mayBeAbsent: boolean): string {
  return String(isNonNullType(type) && mayBeAbsent ? type.ofType : type);
}
