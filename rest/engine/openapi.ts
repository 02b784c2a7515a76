import { type GraphQLInputType, type GraphQLSchema, isListType, isNonNullType } from 'graphql';
import type { Parameter } from '#rest/engine/coerce.ts';
import { compile, type Endpoint } from '#rest/engine/compile.ts';
import { type Json, named, objectSchema, outputSchema, type Records } from '#rest/engine/output_schema.ts';
import { PAGINATION_HEADERS } from '#rest/engine/paginate.ts';
import type { Route } from '#rest/engine/route.ts';

/** The OpenAPI 3.1 document of the routes: all of it follows from their operations. */
export function openapiDocument(routes: readonly Route[], schema: GraphQLSchema): object {
  const paths: Record<string, Json> = {};
  const records: Records = new Map();
  for (const route of routes) {
    const path = `/api/v4${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(compile(route, schema), records) };
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
      schemas: { Error: { type: 'object', properties: { message: {}, error: {} } }, ...Object.fromEntries(records) },
    },
  };
}

function operation(endpoint: Endpoint, records: Records): Json {
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
    tags: [resourceOf(route)],
    'x-graphql-operation': operationName,
    ...(route.auth === 'optional' ? { security: [{}, { privateToken: [] }, { bearer: [] }] } : {}),
    parameters: listed,
    ...(inQuery || request.length === 0 ? {} : { requestBody: requestBody(request, route) }),
    responses: responses(endpoint, records),
  };
}

/** The resource that a route is about: the last one that its path names, as `members` of a group. */
function resourceOf({ path }: Route): string {
  const named = path.split('/').map((part) => SINGULAR[part] ?? part);
  return named.findLast((part) => RESOURCES.has(part)) ?? 'server';
}

const SINGULAR: Record<string, string> = {
  user: 'users',
  session: 'users',
  application: 'settings',
  key: 'keys',
  merged_branches: 'branches',
};
const RESOURCES = new Set(
  `users keys emails impersonation_tokens groups namespaces members access_requests projects events settings issues labels
  milestones repository commits files branches tags statuses pipelines jobs environments deployments variables triggers
  snippets bgjobs`.split(/\s+/),
);

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

function requestBody(parameters: readonly Parameter[], { atLeastOne, file }: Route): Json {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, inputSchema(parameter)])),
    ...(required.length > 0 ? { required } : {}),
    ...(atLeastOne ? { anyOf: atLeastOne.map((name) => ({ required: [name] })) } : {}),
  };
  const content = { schema };
  if (file !== undefined) return { required: true, content: { 'multipart/form-data': content } };
  return {
    required: required.length > 0,
    content: {
      'application/json': content,
      'application/x-www-form-urlencoded': content,
      'multipart/form-data': content,
    },
  };
}

function responses(endpoint: Endpoint, records: Records): Json {
  const { paginated, list, status, resultType, scalar, selection, fragments, route } = endpoint;
  const body = () => {
    if (route.body) return { const: route.body };
    if (route.keyedBy) return keyedSchema(endpoint, route.keyedBy);
    const shape = { fragments, records, texts: new Set(Object.keys(route.decimals ?? {})) };
    return scalar
      ? outputSchema(scalar, undefined, shape)
      : objectSchema(resultType, selection, shape, route.omitNull ?? []);
  };
  const record = status === 204 || route.raw ? null : body();
  const success = {
    description: status === 204 ? 'Done; no body.' : 'Success.',
    ...(route.raw ? { content: { [route.raw === 'trace' ? 'text/plain' : 'application/octet-stream']: {} } } : {}),
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

/** The schema of a record with lists that became objects; it stands in the document by itself. */
function keyedSchema({ resultType, selection, fragments }: Endpoint, keyedBy: Readonly<Record<string, string>>): Json {
  const records: Records = new Map();
  const found = objectSchema(resultType, selection, { fragments, records }, []);
  const { properties, ...rest } = (typeof found.$ref === 'string' ? [...records.values()].at(-1) : found) as {
    properties: Record<string, Json>;
  };
  const keyed = Object.entries(properties).map(([key, schema]) => {
    const name = keyedBy[key];
    if (name === undefined) return [key, schema];
    const { [name]: _, ...others } = (schema.items as { properties: Json }).properties;
    const record = { type: 'object', properties: others, required: Object.keys(others) };
    return [key, { type: 'object', additionalProperties: record }];
  });
  return { ...rest, properties: Object.fromEntries(keyed) };
}

function inputSchema({ type, commaSeparated, minimum, allowed, numericId }: Parameter): Json {
  const bare: GraphQLInputType = isNonNullType(type) ? type.ofType : type;
  if (commaSeparated) return { type: 'string', description: 'Separated by commas.' };
  if (numericId) return { type: 'integer' };
  const limit = { ...(minimum === undefined ? {} : { minimum }), ...(allowed ? { enum: allowed } : {}) };
  if (!isListType(bare)) return { ...named(bare), ...limit };
  return { type: 'array', items: named(isNonNullType(bare.ofType) ? bare.ofType.ofType : bare.ofType) };
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
