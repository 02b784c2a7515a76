import type { GraphQLSchema } from 'graphql';
import type { Endpoint } from '#rest/engine/compile.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { fieldAnswered } from '#rest/openapi/described.ts';
import { inputsOf } from '#rest/openapi/inputs.ts';
import { pascalCase } from '#rest/openapi/names.ts';
import { keysetParameters, parameterObject, sharedParameter } from '#rest/openapi/parameters.ts';
import { hasParts } from '#rest/openapi/raw_responses.ts';
import { requestBody } from '#rest/openapi/request_body.ts';
import { responses } from '#rest/openapi/responses.ts';
import { securityOf } from '#rest/openapi/security.ts';
import { tagOf } from '#rest/openapi/tags.ts';
import { headingOf, inRestWords } from '#rest/openapi/words.ts';

export function operationObject(id: string, endpoint: Endpoint, schema: GraphQLSchema, components: Components): Json {
  const { route, operationName, paginated } = endpoint;
  const description =
    route.description ?? inRestWords(saidByStatus(fieldAnswered(endpoint, schema).description ?? '', route));
  const inputs = inputsOf(endpoint, schema, components);
  const body = inputs.filter((input) => input.in === 'body');
  return {
    operationId: id,
    summary: headingOf(description),
    description,
    tags: [tagOf(route.path)],
    'x-graphql-operation': route.choice
      ? Object.fromEntries([...endpoint.choices].map(([word, { operationName: name }]) => [word, name]))
      : operationName,
    ...securityOf(route),
    parameters: [
      ...inputs.filter((input) => input.in !== 'body').map(parameterObject),
      ...(paginated ? [sharedParameter('Page'), sharedParameter('PerPage')] : []),
      ...(route.keyset ? keysetParameters(route.keyset) : paginated ? [sharedParameter('Pagination')] : []),
      ...(hasParts(route) ? [sharedParameter('Range')] : []),
      sharedParameter('Sudo'),
    ],
    ...(body.length > 0 ? { requestBody: requestBody(`${pascalCase(id)}Body`, body, route, components) } : {}),
    responses: responses(endpoint, schema, components),
  };
}

/** The HEAD operation of a route that sends content as it is, or says everything in headers or by the status, from its GET operation. */
export function headObject(
  id: string,
  { parameters, responses: answers, summary, ...operation }: Json,
  status: number | undefined,
): Json {
  const { 200: whole, 206: _part, 304: unchanged, 416: _none, ...others } = answers as Record<number, Json>;
  const { content: _content, ...headers } = whole ?? {};
  const range = sharedParameter('Range').$ref;
  const found =
    status === undefined
      ? { 200: headers, ...(unchanged && { 304: unchanged }) }
      : { [status]: { description: 'It is there. No body.' } };
  return {
    ...operation,
    operationId: id.replace(/^[a-z]+/, 'head'),
    summary: `${summary} (headers only)`,
    parameters: (parameters as Json[]).filter(({ $ref }) => $ref !== range),
    responses: { ...found, ...others },
  };
}

/** The description of a mutation whose `changed` this API tells by a status. */
function saidByStatus(description: string, { whenUnchanged }: Endpoint['route']): string {
  return whenUnchanged ? description.replace('`changed` is false', String(whenUnchanged.status)) : description;
}
