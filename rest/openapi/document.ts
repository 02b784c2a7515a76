import type { GraphQLSchema } from 'graphql';
import { compile, type Endpoint } from '#rest/engine/compile.ts';
import type { Route } from '#rest/engine/route.ts';
import { changedAt } from '#rest/engine/unmodified.ts';
import { Components, type Json } from '#rest/openapi/components.ts';
import { operationId } from '#rest/openapi/names.ts';
import { headObject, operationObject } from '#rest/openapi/operation.ts';
import { SHARED_PARAMETERS, sharedParameter } from '#rest/openapi/parameters.ts';
import { reference } from '#rest/openapi/refusals.ts';
import { SHARED_HEADERS } from '#rest/openapi/responses.ts';
import { CREDENTIALS, SECURITY_SCHEMES } from '#rest/openapi/security.ts';
import { ERROR_SCHEMAS, SHARED_RESPONSES } from '#rest/openapi/shared_responses.ts';
import { tagObjects } from '#rest/openapi/tags.ts';

/** By operation: an answer to it, and the JSON that was sent for it. */
export type Examples = Readonly<Record<string, { status: number; sent?: Json; body: unknown }>>;

/** The OpenAPI 3.1 document of the routes, derived from their operations and the schema. */
export function openapiDocument(routes: readonly Route[], schema: GraphQLSchema, examples: Examples): object {
  const paths: Record<string, Json> = {};
  const components = new Components();
  for (const [name, form] of Object.entries(ERROR_SCHEMAS)) components.refer(name, form);
  const endpoints = routes.map((route) => compile(route, schema));
  for (const endpoint of endpoints) {
    const { method, path } = endpoint.route;
    const at = `/api/v4${path.replace(/:(\w+)/g, '{$1}')}`;
    const id = operationId(endpoint, endpoints);
    const described = withCondition(operationObject(id, endpoint, schema, components), endpoint, endpoints);
    const operation = withExample(described, examples[id]);
    const { raw, headersOf, headStatus } = endpoint.route;
    const head = raw || headersOf || headStatus ? { head: headObject(id, operation, headStatus) } : {};
    paths[at] = { ...paths[at], [method.toLowerCase()]: operation, ...head };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gantry REST API',
      version: 'v4',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    security: CREDENTIALS,
    tags: tagObjects(schema),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: SHARED_PARAMETERS,
      headers: SHARED_HEADERS,
      responses: SHARED_RESPONSES,
      schemas: components.all(),
    },
  };
}

/** An operation with the header by which a DELETE is only done if the record has not changed, where the record says when it did. */
function withCondition(operation: Json, endpoint: Endpoint, endpoints: readonly Endpoint[]): Json {
  const { path } = endpoint.route;
  const reading = endpoints.find(({ route }) => route.method === 'GET' && route.path === path);
  if (!changedAt(endpoint, reading)) return operation;
  const { parameters, responses, ...others } = operation as { parameters: Json[]; responses: Json };
  return {
    ...others,
    parameters: [...parameters.slice(0, -1), sharedParameter('IfUnmodifiedSince'), ...parameters.slice(-1)],
    responses: { ...responses, 412: reference(412, 'DELETE') },
  };
}

/** An operation with its example beside the schemas of JSON. */
function withExample(operation: Json, example: Examples[string] | undefined): Json {
  if (!example) return operation;
  const { requestBody, responses } = operation as { requestBody?: Described; responses: Record<number, Described> };
  note(responses[example.status], example.body);
  if (example.sent !== undefined) note(requestBody, example.sent);
  return operation;
}

interface Described {
  content?: Record<string, Json>;
}

function note(described: Described | undefined, example: unknown): void {
  const json = described?.content?.['application/json'];
  if (json) json.example = example;
}

const DESCRIPTION = `Projects, repositories, issues, pipelines and what is around them.

- Send parameters in the query, as a form or as JSON. \`null\` in JSON, and an empty value elsewhere, mean no value.
- Lists are paginated: the headers \`Link\` and \`X-Total\` describe the other pages.
- Every \`GET\` also answers \`HEAD\`, with the same headers and no body.
- Every operation names the GraphQL operation that it runs (\`x-graphql-operation\`), for each word of a parameter that chooses one.
- Paths of projects and groups in URLs are URL-encoded: \`group%2Fproject\`.
`;
