import { type GraphQLSchema, getNamedType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { Parameter } from '#rest/engine/coerce.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { defaultOf, type Filled, filledBy } from '#rest/openapi/described.ts';
import { inputDescription, inputSchema } from '#rest/openapi/input_schema.ts';

/** A parameter of an operation and its place: bodies are for the methods whose bodies all clients and proxies pass on. */
export interface Input {
  name: string;
  in: 'path' | 'query' | 'body';
  required: boolean;
  /** Whether it must be present if what it is in is. */
  needed: boolean;
  /** The descriptions of the objects that it is in, in JSON. */
  around: readonly string[];
  isList: boolean;
  /** Whether its values are records. */
  ofRecords: boolean;
  schema: Json;
  description: string;
}

/** All parameters of an operation, under all their names. */
export function inputsOf(endpoint: Endpoint, schema: GraphQLSchema, components: Components): Input[] {
  const { choice } = endpoint.route;
  if (!choice) return ownInputs(endpoint, schema, components);
  const { parameter: name, description } = choice;
  const words = { type: 'string', enum: [...endpoint.choices.keys()] };
  const rest = { required: true, needed: false, around: [], isList: false, ofRecords: false };
  const all = [...endpoint.choices.values()].flatMap((one) => ownInputs(one, schema, components));
  const byName = new Map(all.reverse().map((input) => [input.name, input]));
  return [...[...byName.values()].reverse(), { name, in: placeOf(endpoint), ...rest, schema: words, description }];
}

function ownInputs(endpoint: Endpoint, schema: GraphQLSchema, components: Components): Input[] {
  const { route, parameters } = endpoint;
  const filled = filledBy(endpoint, schema);
  const own = parameters.map((parameter) =>
    inputOf(parameter, describedBy(parameter, filled), filled.get(parameter.fills[0]), endpoint, components),
  );
  const synonyms = Object.entries(route.synonyms ?? {}).flatMap(([name, other]) => {
    const meant = own.find((input) => input.name === other);
    return meant ? [{ ...meant, name, required: false, description: `Another name of \`${other}\`.` }] : [];
  });
  return [...own, ...synonyms, ...beyondOperation(endpoint)];
}

/** The parameters of the path of a redirection that the operation does not need: what is below the address that it leads to. */
function beyondOperation({ route, parameters }: Endpoint): Input[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].flatMap(([, name = '']) => name);
  const more = names.filter((name) => route.redirect && !parameters.some((parameter) => parameter.name === name));
  const rest = { required: true, needed: false, around: [], isList: false, ofRecords: false };
  const description = 'What follows in the path, which stays as it is.';
  return more.map((name) => ({ name, in: 'path', ...rest, schema: { type: 'string' }, description }));
}

function inputOf(
  parameter: Parameter,
  filled: Filled | undefined,
  variable: Filled | undefined,
  endpoint: Endpoint,
  components: Components,
): Input {
  const { name, required, type, commaSeparated } = parameter;
  return {
    name,
    in: parameter.in === 'path' ? 'path' : name === endpoint.route.upload ? 'body' : placeOf(endpoint),
    required: required || parameter.in === 'path',
    needed: parameter.neededWithin ?? false,
    around: (parameter.around ?? []).map((text) => text || (variable?.description ?? '')),
    isList: isListType(isNonNullType(type) ? type.ofType : type) && !commaSeparated,
    ofRecords: isInputObjectType(getNamedType(type)),
    schema: inputSchema(parameter, { route: endpoint.route, filled, components }),
    description: inputDescription(parameter, filled),
  };
}

function describedBy({ field, fills: [variable] }: Parameter, filled: ReadonlyMap<string, Filled>): Filled | undefined {
  return field ? { description: field.description ?? '', default: defaultOf(field) } : filled.get(variable);
}

function placeOf({ route: { method, upload } }: Endpoint): 'query' | 'body' {
  if (upload !== undefined) return 'query';
  return ['POST', 'PUT', 'PATCH'].includes(method) ? 'body' : 'query';
}
