import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  valueFromAST,
  valueFromASTUntyped,
} from 'graphql';
import { type Parameter, snakeCase } from '#rest/engine/coerce.ts';
import { withPath } from '#rest/engine/path_fields.ts';
import { pathParameters, type Route, variantsOf } from '#rest/engine/route.ts';
import { inputTypeOf, type Manner, type Taken, takenBy, takesInput } from '#schema/input_fields.ts';
import { selectsSecrets } from '#schema/secret_fields.ts';

/** A route with everything derived from its operation, computed once at start. */
export interface Endpoint {
  readonly route: Route;
  readonly operationName: string;
  readonly document: DocumentNode;
  readonly parameters: readonly Parameter[];
  /** Whether it is a mutation whose parameters are the fields of `$input`. */
  readonly takesInput: boolean;
  /** Names of parameters that are lists. */
  readonly lists: ReadonlySet<string>;
  /** Keys from the operation's result to the response body. */
  readonly resultPath: readonly string[];
  readonly paginated: boolean;
  readonly status: number;
  /** Converts enum values to this API's words, in place; null if there are none. */
  readonly render: ((value: unknown) => void) | null;
  readonly resultType: FieldsType;
  /** Whether the body is an array that is not paginated. */
  readonly list: boolean;
  /** The type of a body that is a single value rather than a record. */
  readonly scalar: GraphQLOutputType | null;
  /** Whether the result contains a secret. */
  readonly secret: boolean;
  /** The selection of the body, for the OpenAPI document. */
  readonly selection: SelectionSetNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The endpoints that the route chooses among, by word; empty without a choice. */
  readonly choices: ReadonlyMap<string, Endpoint>;
}

/** Variables set by the engine itself. */
export const ENGINE_VARIABLES = new Set([
  'limit',
  'offset',
  'keyset',
  'keyset_after',
  'keyset_value',
  'signed_in',
  'administrator',
  'known_versions',
]);

/** Compiles a route whose operation is valid for the schema; requireValid checks that before a release. */
export function compile(route: Route, schema: GraphQLSchema): Endpoint {
  const operation = route.operation.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (!operation?.name) throw new Error(`${route.method} ${route.path}: no named operation`);
  const fragments = new Map(
    route.operation.definitions.flatMap((d) =>
      d.kind === Kind.FRAGMENT_DEFINITION ? [[d.name.value, d] as const] : [],
    ),
  );
  const resultPath = route.result.split('.');
  const root = operation.operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  if (!root) throw new Error('the schema has no root type');
  const target = descend(root, operation.selectionSet, resultPath, fragments, route);
  const paginated = target.type.name.endsWith('Connection');
  const leaf = paginated ? descend(target.type, target.selection, ['nodes'], fragments, route) : target;
  const parameters = parametersOf(operation, schema, route);
  return {
    route,
    operationName: operation.name.value,
    document: route.operation,
    parameters,
    takesInput: takesInput(operation),
    lists: listsOf(parameters, route),
    resultPath,
    paginated,
    status: route.status ?? (route.method === 'POST' ? 201 : 200),
    render: leaf.scalar ? null : renderer(leaf.type, leaf.selection, fragments),
    resultType: leaf.type,
    list: (target.list ?? false) && !route.pairs,
    scalar: leaf.scalar ?? null,
    secret: selectsSecrets(route.operation, operation),
    selection: leaf.selection,
    fragments,
    choices: choicesOf(route, schema),
  };
}

function choicesOf(route: Route, schema: GraphQLSchema): Endpoint['choices'] {
  const words = Object.keys(route.choice?.of ?? {});
  return new Map(words.length > 0 ? variantsOf(route).map((own, at) => [words[at] ?? '', compile(own, schema)]) : []);
}

function parametersOf(operation: OperationDefinitionNode, schema: GraphQLSchema, route: Route): Parameter[] {
  const inPath = pathParameters(route);
  const input = inputTypeOf(operation, schema);
  const { names, hidden, required = [] } = input ? withPath(route, input) : route;
  const differences = { names, hidden, required: [...required, ...inPath] };
  const manner: Manner = {
    word: snakeCase,
    opens: (variable) => (route.nested?.includes(variable) ? 'within' : 'apart'),
    nests: true,
  };
  const ownVariables = new Set([...ENGINE_VARIABLES, ...Object.keys(route.derived ?? {})]);
  const parameters = takenBy(operation, schema, differences, manner)
    .filter(({ fills: [variable] }) => !ownVariables.has(variable))
    .map((taken) => parameter(taken, inPath.includes(taken.keys.join()) ? 'path' : 'request', schema, route));
  const all = parameters.map(({ name }) => name);
  const twice = all.find((name, index) => all.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${route.method} ${route.path}: two parameters are called ${twice}`);
  // Those of the path come first, in its order, then those that must be present, in the order of the row.
  const first = input ? [...inPath, ...(route.alternatives ?? []), ...required] : inPath;
  const rank = ({ name, required: isNeeded }: Parameter) =>
    first.includes(name) ? first.indexOf(name) : first.length + (input && !isNeeded ? 1 : 0);
  return parameters.sort((one, other) => rank(one) - rank(other));
}

/** The defaults of a variable, or of a field of it: in this API, and in GraphQL. */
function defaultsOf(
  { definition, fills: [, ...fields] }: Taken,
  schema: GraphQLSchema,
): Record<'read' | 'written', unknown> {
  const { type, defaultValue } = definition;
  const variable = typeFromAST(schema, type) as GraphQLInputType | undefined;
  if (!defaultValue || !variable) return { read: undefined, written: undefined };
  const at = (value: unknown) =>
    fields.reduce((record, key) => (record as Record<string, unknown> | null | undefined)?.[key], value);
  return { read: at(valueFromAST(defaultValue, variable)), written: at(valueFromASTUntyped(defaultValue)) };
}

function parameter(taken: Taken, place: Parameter['in'], schema: GraphQLSchema, route: Route): Parameter {
  const { type, keys, fills, field, around, neededAround } = taken;
  const { read, written } = defaultsOf(taken, schema);
  const preset = field ? written : undefined;
  const [first, ...inner] = keys;
  const name = `${first}${inner.map((key) => `[${key}]`).join('')}`;
  return {
    name,
    type,
    keys,
    fills,
    field,
    required: taken.required && preset === undefined,
    default: read,
    preset,
    around,
    neededAround,
    in: place,
    commaSeparated: route.commaSeparated?.includes(name) ?? false,
    minimum: route.minimum?.[name],
    allowed: route.allowed?.[name],
    among: route.among?.[name],
    nullWord: route.nullWord?.[name],
    words: route.words?.[name],
    onlyOne: route.onlyOne?.includes(name) ?? false,
    threadKey: route.threadKeys?.includes(name) ?? false,
    neededWithin: (taken.neededWithin && preset === undefined) || (route.neededWithin?.includes(name) ?? false),
    passUnknownEnum: placesIn(name, route.passUnknownEnum),
    verbatim: placesIn(name, route.verbatim),
    numericId: route.numericIds?.includes(name) ?? false,
  };
}

function listsOf(parameters: readonly Parameter[], { aliases, synonyms }: Route): Set<string> {
  const names = parameters.flatMap(({ name, type }) => (isListType(getNullableType(type)) ? [name] : []));
  const others = Object.entries({ ...aliases, ...synonyms }).flatMap(([other, name]) =>
    names.includes(name) ? [other] : [],
  );
  return new Set([...names, ...others]);
}

/** The places within this parameter: '' is the parameter itself, else a key of its records. */
function placesIn(parameter: string, places: readonly string[] = []): string[] {
  return places.flatMap((path) => {
    const [name, key = ''] = path.split('.');
    return name === parameter ? [key] : [];
  });
}

/** The types that can have selections. */
export type FieldsType = GraphQLObjectType | GraphQLInterfaceType;

export function hasFields(type: unknown): type is FieldsType {
  return isObjectType(type) || isInterfaceType(type);
}

interface Target {
  type: FieldsType;
  selection: SelectionSetNode;
  scalar?: GraphQLOutputType;
  list?: boolean;
}

function descend(
  type: FieldsType,
  selection: SelectionSetNode,
  path: readonly string[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  route: Route,
): Target {
  let target: Target = { type, selection };
  for (const key of path) {
    const field = fieldsOf(target.selection, fragments).find(({ name }) => name === key);
    const fieldType = field && target.type.getFields()[field.field]?.type;
    if (!field || !fieldType) throw new Error(`${route.method} ${route.path}: nothing at ${path.join('.')}`);
    const next = getNamedType(fieldType);
    if (!hasFields(next) || !field.selection) return { ...target, scalar: fieldType };
    target = { type: next, selection: field.selection, list: isListType(getNullableType(fieldType)) };
  }
  return target;
}

export interface SelectedField {
  /** Response name. */
  name: string;
  /** Name in the schema. */
  field: string;
  selection: SelectionSetNode | undefined;
  /** Has a directive, so it may be missing. */
  optional: boolean;
}

/** All fields of a selection, including those of its fragments. */
export function fieldsOf(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  optional = false,
): SelectedField[] {
  return selections.flatMap((selection) => {
    const maybe = optional || (selection.directives?.length ?? 0) > 0;
    if (selection.kind === Kind.FIELD) {
      const name = selection.alias?.value ?? selection.name.value;
      return [{ name, field: selection.name.value, selection: selection.selectionSet, optional: maybe }];
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection.selectionSet
        : fragments.get(selection.name.value)?.selectionSet;
    return inner ? fieldsOf(inner, fragments, maybe) : [];
  });
}

/** The domain's values of an enum are this API's words. */
function wordsOf(type: GraphQLEnumType): (name: string) => unknown {
  const words = new Map(type.getValues().map(({ name, value }) => [name, value]));
  return (name) => words.get(name);
}

type Step = (record: Record<string, unknown>) => void;

/** Only the paths to enum values are visited. */
function renderer(
  type: FieldsType,
  selection: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ((value: unknown) => void) | null {
  const steps: Step[] = [];
  const seen = new Set<string>();
  for (const { name, field, selection: inner } of fieldsOf(selection, fragments)) {
    const fieldType = getNamedType(type.getFields()[field]?.type);
    if (seen.has(name) || !fieldType) continue;
    seen.add(name);
    if (isEnumType(fieldType)) {
      const word = wordsOf(fieldType);
      steps.push((record) => {
        const value = record[name];
        if (typeof value === 'string') record[name] = word(value);
        else if (Array.isArray(value)) record[name] = value.map(word);
      });
    } else if (hasFields(fieldType) && inner) {
      const render = renderer(fieldType, inner, fragments);
      if (render) steps.push((record) => render(record[name]));
    }
  }
  if (steps.length === 0) return null;
  const apply = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) apply(item);
    else if (value !== null && value !== undefined) for (const step of steps) step(value as Record<string, unknown>);
  };
  return apply;
}
