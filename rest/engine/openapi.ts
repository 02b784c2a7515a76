import {
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { type Parameter, snakeCase } from '#rest/engine/coerce.ts';
import { compile, type Endpoint, fieldsOf } from '#rest/engine/compile.ts';
import { PAGINATION_HEADERS } from '#rest/engine/paginate.ts';
import type { Route } from '#rest/engine/route.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the routes: all of it follows from their operations. */
export function openapiDocument(routes: readonly Route[], schema: GraphQLSchema): object {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = `/api/v4${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(compile(route, schema)) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gantry REST API',
      version: 'v4',
      description: 'Each operation runs the GraphQL operation it names.',
    },
    servers: [{ url: '/' }],
    security: [{ privateToken: [] }, { privateTokenParameter: [] }, { bearer: [] }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        privateTokenParameter: { type: 'apiKey', in: 'query', name: 'private_token' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: { type: 'object', properties: { message: {}, error: {} } } },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const { route, parameters, operationName } = endpoint;
  const inQuery = route.method === 'GET';
  const request = parameters.filter((parameter) => parameter.in === 'request');
  const listed = [
    ...parameters.filter((parameter) => parameter.in === 'path').map((p) => parameterObject(p, 'path')),
    ...(inQuery ? request.map((p) => parameterObject(p, 'query')) : []),
    ...(endpoint.paginated ? PAGE_PARAMETERS : []),
  ];
  return {
    operationId: `${operationName}${endingOf(route)}`,
    tags: [
      route.path
        .split('/')
        .filter((part) => part !== '' && !part.startsWith(':'))
        .at(-1) ?? '',
    ],
    'x-graphql-operation': operationName,
    ...(route.auth === 'optional' ? { security: [{}, { privateToken: [] }, { bearer: [] }] } : {}),
    parameters: listed,
    ...(inQuery || request.length === 0 ? {} : { requestBody: requestBody(request, route) }),
    responses: responses(endpoint),
  };
}

/** What tells routes of one operation apart: the ending of their paths, as `TarGz`. */
function endingOf({ path }: Route): string {
  const [, ending = ''] = /\.([\w.]+)$/.exec(path) ?? [];
  return ending.replace(/(?:^|\.)(.)/g, (_, letter: string) => letter.toUpperCase());
}

function parameterObject(parameter: Parameter, place: 'path' | 'query'): Json {
  const { name, required, type } = parameter;
  const list = isListType(isNonNullType(type) ? type.ofType : type) && !parameter.commaSeparated;
  return {
    name: list ? `${name}[]` : name,
    in: place,
    required: place === 'path' || required,
    schema: inputSchema(parameter),
  };
}

function requestBody(parameters: readonly Parameter[], { atLeastOne }: Route): Json {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, inputSchema(parameter)])),
    ...(required.length > 0 ? { required } : {}),
    ...(atLeastOne ? { anyOf: atLeastOne.map((name) => ({ required: [name] })) } : {}),
  };
  const content = { schema };
  return {
    required: required.length > 0,
    content: {
      'application/json': content,
      'application/x-www-form-urlencoded': content,
      'multipart/form-data': content,
    },
  };
}

function responses({ paginated, list, status, resultType, scalar, selection, fragments, route }: Endpoint): Json {
  const body = () => {
    if (route.body) return { const: route.body };
    return scalar
      ? outputSchema(scalar, undefined, fragments)
      : objectSchema(resultType, selection, fragments, route.omitNull ?? []);
  };
  const record = status === 204 || route.raw ? null : body();
  const success = {
    description: status === 204 ? 'Done; no body.' : 'Success.',
    ...(route.raw ? { content: { 'application/octet-stream': {} } } : {}),
    ...(record
      ? { content: { 'application/json': { schema: paginated || list ? { type: 'array', items: record } : record } } }
      : {}),
    ...(paginated
      ? { headers: Object.fromEntries(PAGINATION_HEADERS.map((n) => [n, { schema: { type: 'string' } }])) }
      : {}),
  };
  const error = {
    description: 'Refused.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  return { [status]: success, default: error };
}

function objectSchema(
  type: GraphQLObjectType,
  selection: SelectionSetNode,
  fragments: Endpoint['fragments'],
  omitted: readonly string[],
): Json {
  const properties: Json = {};
  const required: string[] = [];
  for (const { name, field, selection: inner, optional } of fieldsOf(selection, fragments)) {
    const definition = type.getFields()[field];
    if (!definition) continue;
    const within = omitted.flatMap((key) => (key.startsWith(`${name}.`) ? [key.slice(name.length + 1)] : []));
    properties[name] = outputSchema(definition.type, inner, fragments, within);
    if (!optional && !omitted.includes(name)) required.push(name);
  }
  return { type: 'object', properties, required: [...new Set(required)] };
}

function outputSchema(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  fragments: Endpoint['fragments'],
  omitted: readonly string[] = [],
): Json {
  if (!isNonNullType(type)) return orNull(bareOutput(type, selection, fragments, omitted));
  return bareOutput(type.ofType, selection, fragments, omitted);
}

function bareOutput(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  fragments: Endpoint['fragments'],
  omitted: readonly string[],
): Json {
  if (isListType(type)) return { type: 'array', items: outputSchema(type.ofType, selection, fragments, omitted) };
  if (isObjectType(type) && selection) return objectSchema(type, selection, fragments, omitted);
  return named(type);
}

function inputSchema({ type, commaSeparated, minimum, allowed }: Parameter): Json {
  const bare: GraphQLInputType = isNonNullType(type) ? type.ofType : type;
  if (commaSeparated) return { type: 'string', description: 'Separated by commas.' };
  const limit = { ...(minimum === undefined ? {} : { minimum }), ...(allowed ? { enum: allowed } : {}) };
  if (!isListType(bare)) return { ...named(bare), ...limit };
  return { type: 'array', items: named(isNonNullType(bare.ofType) ? bare.ofType.ofType : bare.ofType) };
}

function named(type: GraphQLInputType | GraphQLOutputType): Json {
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const properties = fields.map((field) => [
      snakeCase(field.name),
      named(isNonNullType(field.type) ? field.type.ofType : field.type),
    ]);
    return { type: 'object', properties: Object.fromEntries(properties) };
  }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name.toLowerCase()) };
  return SCALARS['name' in type ? type.name : ''] ?? {};
}

const SCALARS: Record<string, Json> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  CommitDateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  ProjectRef: { type: ['integer', 'string'], description: 'Numeric ID or URL-encoded full path.' },
  GroupRef: { type: ['integer', 'string'], description: 'Numeric ID or URL-encoded full path.' },
};

function orNull(schema: Json): Json {
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

const PAGE_PARAMETERS = [
  { name: 'page', in: 'query', required: false, schema: { type: 'integer', minimum: 1, default: 1 } },
  {
    name: 'per_page',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
];
