import type { Route } from '#rest/engine/route.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { withoutNull } from '#rest/openapi/parameters.ts';

/** A property of a body. */
export interface Property {
  name: string;
  required: boolean;
  schema: Json;
}

/** The body of a request: the same parameters as JSON and as forms, in which lists and maps are spelled otherwise. */
export function requestBody(name: string, properties: readonly Property[], route: Route, components: Components): Json {
  const isRequired = properties.some(({ required }) => required) || route.atLeastOne !== undefined;
  const body = bodySchema(properties, route);
  if (route.file !== undefined) return { required: true, content: { 'multipart/form-data': { schema: body } } };
  const json = components.refer(name, body);
  const content: Json = { 'application/json': { schema: json } };
  // Lists of records have no spelling in forms that OpenAPI could express.
  if (!properties.some(({ schema }) => isListOfRecords(schema))) {
    const isPlain = properties.every(({ schema }) => formSpelling(schema) === 'plain');
    const form = isPlain ? json : components.refer(`${name}Form`, bodySchema(properties.map(asInForm), route));
    const encoding = Object.fromEntries(
      properties.flatMap(({ name, schema }) =>
        formSpelling(schema) === 'map' ? [[name, { style: 'deepObject', explode: true }]] : [],
      ),
    );
    const urlencoded = { schema: form, ...(Object.keys(encoding).length > 0 ? { encoding } : {}) };
    content['application/x-www-form-urlencoded'] = urlencoded;
    content['multipart/form-data'] = { schema: form };
  }
  return { required: isRequired, content };
}

function bodySchema(properties: readonly Property[], { atLeastOne = [] }: Route): Json {
  const required = properties.filter((property) => property.required).map(({ name }) => name);
  const names = properties.map(({ name }) => name.replace('[]', ''));
  const isAny = names.every((name) => atLeastOne.includes(name));
  const some = isAny ? { minProperties: 1 } : { anyOf: atLeastOne.map((name) => ({ required: [name] })) };
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    ...(atLeastOne.length > 0 ? some : {}),
  };
}

function asInForm({ name, required, schema }: Property): Property {
  return { name: formSpelling(schema) === 'list' ? `${name}[]` : name, required, schema: withoutNull(schema) };
}

/** How a value is spelled in a form: `name=…`, `name[]=…` for each of a list, `name[key]=…` for each of a map. */
function formSpelling(schema: Json): 'plain' | 'list' | 'map' {
  const { type } = withoutNull(schema);
  if (type === 'array') return 'list';
  return type === 'object' ? 'map' : 'plain';
}

function isListOfRecords(schema: Json): boolean {
  const { items } = withoutNull(schema) as { items?: Json };
  return typeof items?.$ref === 'string' && items.$ref.endsWith('Input');
}
