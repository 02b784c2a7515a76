import type { Route } from '#rest/engine/route.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import type { Input } from '#rest/openapi/inputs.ts';
import { withoutNull } from '#rest/openapi/parameters.ts';
import { BYTES } from '#rest/openapi/raw_responses.ts';

/** The body of a request: the same parameters as JSON and as forms, which spell lists and maps differently. */
export function requestBody(name: string, inputs: readonly Input[], route: Route, components: Components): Json {
  if (route.upload !== undefined) return { required: true, content: { 'application/octet-stream': { schema: BYTES } } };
  const body = bodySchema(inputs, route, propertiesOf(inputs));
  const file = inputs.find((input) => input.name === route.file);
  if (file?.required) return { required: true, content: { 'multipart/form-data': { schema: body } } };
  if (file) return withOptionalFile(name, inputs, file, route, components);
  const json = components.refer(name, body);
  const isPlain = !inputs.some((input) => input.isList || isMap(input) || isNested(input));
  const form = () => (isPlain ? json : components.refer(`${name}Form`, bodySchema(inputs.map(asInForm), route)));
  const maps = inputs.filter(isMap).map((input) => [input.name, { style: 'deepObject', explode: true }]);
  const encoding = maps.length > 0 ? { encoding: Object.fromEntries(maps) } : {};
  return {
    required: inputs.some(({ required }) => required) || route.atLeastOne !== undefined,
    content: {
      'application/json': { schema: json },
      // Forms can contain lists of records, but OpenAPI cannot express how.
      ...(inputs.some(({ ofRecords }) => ofRecords)
        ? {}
        : {
            'application/x-www-form-urlencoded': { schema: form(), ...encoding },
            'multipart/form-data': { schema: form() },
          }),
    },
  };
}

/** A body whose file only multipart forms can have; elsewhere null removes what was sent before. */
function withOptionalFile(
  name: string,
  inputs: readonly Input[],
  file: Input,
  route: Route,
  components: Components,
): Json {
  const rest = inputs.map((input) =>
    input === file || route.moreFiles?.includes(input.name)
      ? { ...input, schema: { type: ['string', 'null'], const: null } }
      : input,
  );
  const { file: _, moreFiles: _more, ...plain } = route;
  const body = requestBody(name, rest, plain, components) as { content: Record<string, Json> };
  const form = bodySchema(inputs.map(asInForm), route);
  return { ...body, content: { ...body.content, 'multipart/form-data': { schema: form } } };
}

function bodySchema(
  inputs: readonly Input[],
  { atLeastOne = [], synonyms = {} }: Route,
  properties: Json = Object.fromEntries(inputs.map(propertyOf)),
): Json {
  const required = inputs.filter((input) => input.required).map(({ name }) => name);
  const counting = inputs.filter(({ name }) => {
    const key = name.replace('[]', '');
    return atLeastOne.includes(synonyms[key] ?? key);
  });
  const isAny = counting.length === inputs.length;
  const some = isAny ? { minProperties: 1 } : { anyOf: counting.map(({ name }) => ({ required: [name] })) };
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(atLeastOne.length > 0 ? some : {}),
  };
}

function propertyOf({ name, schema, description }: Input): [string, Json] {
  return [name, { ...schema, description }];
}

/** The properties of a JSON body, in which `a[b]` is property `b` of the object at `a`. */
function propertiesOf(inputs: readonly Input[]): Json {
  const properties: Record<string, Json> = {};
  for (const input of inputs) {
    const [name = '', ...inner] = input.name.split(/[[\]]+/).filter((key) => key !== '');
    const [, schema] = propertyOf(input);
    if (inner.length === 0) properties[input.name] = schema;
    else properties[name] = within(properties[name], inner, input.around, input.needed, schema);
  }
  return properties;
}

/** The object with one more property in it, or in an object in it. */
function within(
  object: Json | undefined,
  [name = '', ...inner]: readonly string[],
  [description, ...around]: readonly string[],
  needed: boolean,
  schema: Json,
): Json {
  const properties = (object?.properties ?? {}) as Record<string, Json>;
  const required = (object?.required ?? []) as string[];
  const isNeeded = inner.length === 0 && needed;
  const property = inner.length === 0 ? schema : within(properties[name], inner, around, needed, schema);
  return {
    type: ['object', 'null'],
    description,
    properties: { ...properties, [name]: property },
    ...(isNeeded || required.length > 0 ? { required: isNeeded ? [...required, name] : required } : {}),
  };
}

function isNested({ name }: Input): boolean {
  return /\[\w/.test(name);
}

/** In a form each value of a list is `name[]=…`, each of a map `name[key]=…`, and nothing is null: an empty text stands for it. */
function asInForm(input: Input): Input {
  const { name, isList, schema } = input;
  const inForm = schema.const === null ? { type: 'string', const: '' } : withoutNull(schema);
  return { ...input, name: isList ? `${name}[]` : name, schema: inForm };
}

function isMap({ schema }: Input): boolean {
  return withoutNull(schema).type === 'object';
}
