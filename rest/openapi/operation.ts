import type { GraphQLSchema } from 'graphql';
import type { Parameter } from '#rest/engine/coerce.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { type Filled, fieldAnswered, filledBy } from '#rest/openapi/described.ts';
import { inputDescription, inputSchema } from '#rest/openapi/input_schema.ts';
import { pascalCase } from '#rest/openapi/names.ts';
import { parameterObject, sharedParameter } from '#rest/openapi/parameters.ts';
import { type Property, requestBody } from '#rest/openapi/request_body.ts';
import { responses } from '#rest/openapi/responses.ts';
import { securityOf } from '#rest/openapi/security.ts';
import { tagOf } from '#rest/openapi/tags.ts';
import { headingOf, inRestWords } from '#rest/openapi/words.ts';

/** The operation of an endpoint, under the name that generated clients call it by. */
export function operationObject(id: string, endpoint: Endpoint, schema: GraphQLSchema, components: Components): Json {
  const { route, operationName, paginated } = endpoint;
  const description = route.description ?? inRestWords(fieldAnswered(endpoint, schema).description ?? '');
  const inputs = inputsOf(endpoint, schema, components);
  const hasBody = route.method === 'POST' || route.method === 'PUT';
  const properties = hasBody ? inputs.filter(({ parameter }) => parameter?.in !== 'path') : [];
  const listed = inputs.filter((input) => !properties.includes(input));
  const body = properties.map(asProperty);
  return {
    operationId: id,
    summary: headingOf(description),
    description,
    tags: [tagOf(route.path)],
    'x-graphql-operation': operationName,
    ...securityOf(route),
    parameters: [
      ...listed.flatMap(({ parameter, ...input }) => (parameter ? [parameterObject(parameter, input)] : [])),
      ...(paginated ? [sharedParameter('Page'), sharedParameter('PerPage')] : []),
      sharedParameter('Sudo'),
    ],
    ...(body.length > 0 ? { requestBody: requestBody(`${pascalCase(id)}Body`, body, route, components) } : {}),
    responses: responses(endpoint, schema, components),
  };
}

/** A parameter with what the document says of it; one that stands for nothing in the operation has no `parameter`. */
interface Input {
  name: string;
  parameter?: Parameter;
  schema: Json;
  description: string;
}

function inputsOf(endpoint: Endpoint, schema: GraphQLSchema, components: Components): Input[] {
  const { route, parameters } = endpoint;
  const filled = filledBy(endpoint, schema);
  const own = parameters.map((parameter) => inputOf(parameter, filled.get(parameter.name), endpoint, components));
  const synonyms = Object.entries(route.synonyms ?? {}).flatMap(([name, other]) =>
    own.flatMap(({ parameter, schema }) =>
      parameter?.name === other
        ? [
            {
              name,
              parameter: { ...parameter, name, required: false },
              schema,
              description: `Another name of \`${other}\`.`,
            },
          ]
        : [],
    ),
  );
  const ignored = Object.entries(route.ignored ?? {}).map(([name, { type, description }]) => ({
    name,
    schema: { type: [type, 'null'] },
    description,
  }));
  return [...own, ...synonyms, ...ignored];
}

function inputOf(parameter: Parameter, filled: Filled | undefined, { route }: Endpoint, components: Components): Input {
  const schema = inputSchema(parameter, { route, filled, components });
  return { name: parameter.name, parameter, schema, description: inputDescription(parameter, filled) };
}

function asProperty({ name, parameter, schema, description }: Input): Property {
  return { name, required: parameter?.required ?? false, schema: { ...schema, description } };
}
