import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
  valueFromASTUntyped,
} from 'graphql';
import { type Parameter, snakeCase } from '#rest/engine/coerce.ts';
import { withPath } from '#rest/engine/path_fields.ts';
import { pathParameters, type Route, variantsOf } from '#rest/engine/route.ts';
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

/** Whether an operation is a mutation with one variable for all of its input. */
export function takesInput({ operation, variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return operation === 'mutation' && variableDefinitions.some(({ variable }) => variable.name.value === 'input');
}

function choicesOf(route: Route, schema: GraphQLSchema): Endpoint['choices'] {
  const words = Object.keys(route.choice?.of ?? {});
  return new Map(words.length > 0 ? variantsOf(route).map((own, at) => [words[at] ?? '', compile(own, schema)]) : []);
}

function parametersOf(operation: OperationDefinitionNode, schema: GraphQLSchema, route: Route): Parameter[] {
  const inPath = pathParameters(route);
  const parameters = (operation.variableDefinitions ?? []).flatMap((definition) => {
    const variable = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (
      ENGINE_VARIABLES.has(variable) ||
      Object.hasOwn(route.derived ?? {}, variable) ||
      !type ||
      !('name' in getNamedType(type))
    )
      return [];
    const input = type as Parameter['type'];
    const fallback = definition.defaultValue && valueFromAST(definition.defaultValue, input);
    const record = getNullableType(input);
    if (isInputObjectType(record)) {
      const within = nestedIn(variable, route);
      const around = within ? [''] : [];
      return parametersIn(
        record,
        { fills: [variable], at: '', within, around },
        defaultsOf(definition, input),
        takesInput(operation) ? withPath(route, record) : route,
      );
    }
    const required = isNonNullType(type) && definition.defaultValue === undefined;
    const place = inPath.includes(variable) ? 'path' : 'request';
    const key = route.names?.[variable] ?? variable;
    return [parameter({ type: input, keys: [key], fills: [variable], required, default: fallback, in: place }, route)];
  });
  // Those of the path come first, in its order.
  const isPath = ({ in: place }: Parameter) => place === 'path';
  const ofPath = parameters.filter(isPath).sort((one, other) => inPath.indexOf(one.name) - inPath.indexOf(other.name));
  const names = parameters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${route.method} ${route.path}: two parameters are called ${twice}`);
  return [...ofPath, ...parameters.filter((one) => !isPath(one))];
}

function nestedIn(variable: string, { nested, names }: Route): Parameter['keys'] | undefined {
  return nested?.includes(variable) ? [names?.[variable] ?? variable] : undefined;
}

/** Where fields of an input are. */
interface Inside {
  /** The variable, and the fields down to these. */
  fills: Parameter['fills'];
  /** The fields, as rows name them: empty for those of a variable, else `position`. */
  at: string;
  /** The keys of the parameter that they are in, if any. */
  within: Parameter['keys'] | undefined;
  around: readonly string[];
}

/** The fields of an input become parameters; those of a nested input become keys of a parameter, `not[labels]`, unless they have a name. */
function parametersIn(
  record: GraphQLInputObjectType,
  { fills: above, at: outer, within, around }: Inside,
  defaults: Defaults,
  route: Route,
): Parameter[] {
  const named = Object.keys(route.names ?? {});
  const isNamed = (path: string) => named.some((name) => name === path || name.startsWith(`${path}[`));
  const pathOf = ({ name }: GraphQLInputField) => (outer ? `${outer}[${snakeCase(name)}]` : snakeCase(name));
  const fields = Object.values(record.getFields());
  // What a reference is given by follows from the row.
  const isReference = record.isOneOf && fields.some((field) => isNamed(pathOf(field)));
  return fields.flatMap((field) => {
    const path = pathOf(field);
    if (route.hidden?.includes(path) || (isReference && !isNamed(path))) return [];
    const own = route.names?.[path];
    const keys: Parameter['keys'] =
      own !== undefined || !within ? [own ?? snakeCase(field.name)] : [...within, snakeCase(field.name)];
    const fills: Parameter['fills'] = [...above, field.name];
    const inner = getNullableType(field.type);
    const given = { read: at(defaults.read, field.name), written: at(defaults.written, field.name) };
    if (isInputObjectType(inner)) {
      const inside = { fills, at: path, within: keys, around: [...around, field.description ?? ''] };
      return parametersIn(inner, inside, given, route);
    }
    const isInner = keys.length > 1;
    const isNeeded = isRequiredInputField(field) && given.written === undefined;
    const isPath = !isInner && pathParameters(route).includes(keys[0]);
    const required = isPath || (!isInner && isNeeded) || (route.required?.includes(keys[0]) ?? false);
    const type = required ? new GraphQLNonNull(inner) : field.type;
    const values = { default: given.read, preset: given.written, neededWithin: isInner && isNeeded };
    const rest = { around: isInner ? around : [], in: isPath ? ('path' as const) : ('request' as const) };
    return [parameter({ type, keys, fills, field, required, ...values, ...rest }, route)];
  });
}

/** The defaults of a variable: in this API, and in GraphQL. */
interface Defaults {
  read: unknown;
  written: unknown;
}

function defaultsOf({ defaultValue }: VariableDefinitionNode, type: Parameter['type']): Defaults {
  if (!defaultValue) return { read: undefined, written: undefined };
  return { read: valueFromAST(defaultValue, type), written: valueFromASTUntyped(defaultValue) };
}

function at(record: unknown, key: string): unknown {
  return (record as Record<string, unknown> | null | undefined)?.[key];
}

function parameter(
  own: Pick<
    Parameter,
    'type' | 'keys' | 'fills' | 'field' | 'required' | 'neededWithin' | 'around' | 'default' | 'preset' | 'in'
  >,
  route: Route,
): Parameter {
  const [first, ...inner] = own.keys;
  const name = `${first}${inner.map((key) => `[${key}]`).join('')}`;
  return {
    ...own,
    name,
    commaSeparated: route.commaSeparated?.includes(name) ?? false,
    minimum: route.minimum?.[name],
    allowed: route.allowed?.[name],
    among: route.among?.[name],
    nullWord: route.nullWord?.[name],
    words: route.words?.[name],
    onlyOne: route.onlyOne?.includes(name) ?? false,
    threadKey: route.threadKeys?.includes(name) ?? false,
    neededWithin: own.neededWithin || (route.neededWithin?.includes(name) ?? false),
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
