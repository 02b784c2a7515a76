import { type GraphQLSchema, getNamedType, isNonNullType } from 'graphql';
import { type Endpoint, fieldsOf, hasFields } from '#rest/engine/compile.ts';
import { PAGINATION_HEADERS } from '#rest/engine/paginate.ts';
import { dryRunBody, hasNoBody } from '#rest/engine/respond.ts';
import type { Route } from '#rest/engine/route.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { codesOf, typeAnswered } from '#rest/openapi/described.ts';
import { objectSchema, outputSchema, recordSchema } from '#rest/openapi/output_schema.ts';
import { rawResponses } from '#rest/openapi/raw_responses.ts';
import { refusalsOf } from '#rest/openapi/refusals.ts';

/** All responses of an operation by status. */
export function responses(endpoint: Endpoint, schema: GraphQLSchema, components: Components): Json {
  const { route, status } = endpoint;
  const success = route.raw ? rawResponses(endpoint) : { [status]: successOf(endpoint, schema, components) };
  const done = route.whenNoRecord &&
    route.noRecordStatus === undefined && {
      202: {
        description: 'All was done, and there is no record to show of it.',
        ...(Object.keys(route.whenNoRecord).length > 0 && {
          content: { 'application/json': { schema: noRecordSchema(route) } },
        }),
      },
    };
  const dryRun = route.dryRun && {
    200: {
      description: 'Nothing was changed, as it was only tried.',
      content: { 'application/json': { schema: constantSchema(dryRunBody(route.dryRun)) } },
    },
  };
  return { ...success, ...done, ...dryRun, ...refusalsOf(endpoint, codesOf(endpoint, schema)) };
}

/** The schema of the body where there is no record to show. */
function noRecordSchema({ whenNoRecord = {}, withNoRecord = {} }: Route): Json {
  const schema = constantSchema(whenNoRecord);
  const lists = Object.keys(withNoRecord).map((key) => [key, { type: 'array', items: { type: 'string' } }]);
  return { ...schema, properties: { ...(schema.properties as Json), ...Object.fromEntries(lists) } };
}

function successOf(endpoint: Endpoint, schema: GraphQLSchema, components: Components): Json {
  const { route, status, paginated } = endpoint;
  if (route.redirect) return { description: 'Where it is found. No body.', headers: { Location: LOCATION } };
  if (status === 204 || hasNoBody(route)) return { description: 'Success. No body.' };
  const mayBeEmpty = route.method === 'DELETE' && !route.body && !isNonNull(endpoint, schema);
  const headers = {
    ...(route.method === 'GET' ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...(paginated ? Object.fromEntries(PAGINATION_HEADERS.map((name) => [name, paginationHeader(name, route)])) : {}),
    ...Object.fromEntries(Object.entries(route.headers ?? {}).map(([name, value]) => [name, constantHeader(value)])),
  };
  return {
    description: mayBeEmpty ? 'The deleted record; no body if there was nothing to delete.' : DESCRIPTIONS[status],
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content: { 'application/json': { schema: orDone(endpoint, bodySchema(endpoint, components)) } },
  };
}

/** The schema of a record, or of the response in place of it, if both have one status. */
function orDone({ route }: Endpoint, record: Json): Json {
  return route.whenNoRecord && route.noRecordStatus !== undefined
    ? { anyOf: [record, constantSchema(route.whenNoRecord)] }
    : record;
}

const LOCATION: Json = { description: 'The address of it.', schema: { type: 'string' }, required: true };

const DESCRIPTIONS: Record<number, string> = {
  200: 'Success.',
  201: 'Success.',
  202: 'Accepted. A background job does the work.',
};

function isNonNull(endpoint: Endpoint, schema: GraphQLSchema): boolean {
  return isNonNullType(typeAnswered(endpoint, schema));
}

function bodySchema(endpoint: Endpoint, components: Components): Json {
  if (endpoint.choices.size === 0) return ownBodySchema(endpoint, components);
  const all = [...endpoint.choices.values()].map((one) => JSON.stringify(ownBodySchema(one, components)));
  return { anyOf: [...new Set(all)].map((text) => JSON.parse(text)) };
}

function ownBodySchema(endpoint: Endpoint, components: Components): Json {
  const { route, scalar, resultType, selection, fragments, paginated, list } = endpoint;
  if (route.body) return constantSchema(route.body);
  if (route.pairs) {
    const { properties } = recordSchema(resultType, selection, { fragments, components }, []) as {
      properties: Record<string, Json>;
    };
    return { type: 'object', additionalProperties: properties[route.pairs[1]] };
  }
  if (route.keyedBy) {
    const record = keyedSchema(endpoint, route.keyedBy, components);
    return paginated || list ? { type: 'array', items: record } : record;
  }
  const absent = new Set(Object.values(route.omitUnless ?? {}).flat());
  const texts = new Set(Object.keys(route.decimals ?? {}).map(lastKey));
  const shape = { fragments, components, texts, absent, blank: route.blank, replaceKey: route.replaceKey };
  if (route.spread !== undefined) {
    const record = spreadSchema(endpoint, route.spread, components);
    return paginated || list ? { type: 'array', items: record } : record;
  }
  if (route.firstNonNull) {
    const record = eitherSchema(endpoint, route.firstNonNull, components);
    return paginated || list ? { type: 'array', items: record } : record;
  }
  if (route.constants) {
    const record = withConstants(recordSchema(resultType, selection, shape, route.omitNull ?? []), route.constants);
    return paginated || list ? { type: 'array', items: record } : record;
  }
  if (route.nullWhenFalse) return { type: ['boolean', 'null'], enum: [true, null] };
  const record = scalar
    ? outputSchema(scalar, undefined, shape)
    : objectSchema(resultType, selection, shape, route.omitNull ?? []);
  const around = (inner: Json, key: string) => ({ type: 'object', properties: { [key]: inner }, required: [key] });
  return paginated || list ? { type: 'array', items: record } : (route.wrapIn ?? []).reduceRight(around, record);
}

/** Records below have no other numbers of the same name. */
const lastKey = (path: string) => path.slice(path.lastIndexOf('.') + 1);

function constantSchema(body: object): Json {
  const shapeOf = (value: unknown) =>
    Array.isArray(value) ? { type: 'array', items: {} } : { type: value === null ? 'null' : typeof value };
  const properties = Object.entries(body).map(([key, value]) => [key, { ...shapeOf(value), const: value }]);
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(body) };
}

/** The schema of a record with keys that always have the same value. */
function withConstants({ properties, required, ...rest }: Json, constants: object): Json {
  const more = constantSchema(constants) as { properties: Record<string, Json>; required: string[] };
  const described = Object.entries(more.properties).map(([key, schema]) => {
    return [key, { ...schema, description: `Always \`${JSON.stringify(schema.const)}\`.` }];
  });
  const all = { ...(properties as Json), ...Object.fromEntries(described) };
  return { ...rest, properties: all, required: [...(required as string[]), ...more.required] };
}

/** The schema of a record with lists converted to objects, under the name of its operation. */
function keyedSchema(endpoint: Endpoint, keyedBy: Readonly<Record<string, string>>, components: Components): Json {
  const { resultType, selection, fragments, operationName } = endpoint;
  const { properties, ...rest } = recordSchema(resultType, selection, { fragments, components }, []) as {
    properties: Record<string, Json>;
  };
  const keyed = Object.entries(properties).map(([key, schema]) => {
    const name = keyedBy[key];
    if (name === undefined) return [key, schema];
    const { items, ...list } = schema as { items: { properties: Json; required: string[] } };
    const { [name]: _, ...others } = items.properties;
    const record = { type: 'object', properties: others, required: Object.keys(others) };
    return [key, { ...list, type: 'object', additionalProperties: record }];
  });
  return components.refer(operationName, { ...rest, properties: Object.fromEntries(keyed) });
}

/** The schema of a record with the keys of the one at its key among its own, under the name of its operation. */
function spreadSchema(endpoint: Endpoint, key: string, components: Components): Json {
  const { route, resultType, selection, fragments, operationName } = endpoint;
  const shape = { fragments, components };
  const absent = new Set(route.omitNull ?? []);
  const schemas = fieldsOf(selection, fragments).flatMap(({ name, field, selection: inner }) => {
    const type = getNamedType(resultType.getFields()[field]?.type);
    return name === key && inner && hasFields(type) ? [recordSchema(type, inner, shape, [])] : [];
  });
  const records = [...schemas, recordSchema(resultType, selection, shape, [])] as {
    properties: Record<string, Json>;
    required: string[];
  }[];
  // Where there may be no such record, its keys may be missing, too.
  const [inner = []] = absent.has(key) ? schemas.map(({ required }) => required as string[]) : [];
  const { [key]: _, ...properties } = Object.assign({}, ...records.map((record) => record.properties));
  const required = records
    .flatMap((record) => record.required)
    .filter((name) => name !== key && !inner.includes(name) && !absent.has(name) && !absent.has(`${key}.${name}`));
  return components.refer(operationName, { type: 'object', properties, required });
}

/** The schema of a record in which one key stands for several, under the name of its type. */
function eitherSchema(
  { route, resultType, selection, fragments }: Endpoint,
  either: Readonly<Record<string, readonly string[]>>,
  components: Components,
): Json {
  const absent = new Set((route.omitNull ?? []).map(lastKey));
  const { properties, ...rest } = recordSchema(resultType, selection, { fragments, components, absent }, []) as {
    properties: Record<string, Json>;
  };
  const merged = new Set(Object.values(either).flat());
  const kept = Object.entries(properties).filter(([key]) => !merged.has(key));
  const chosen = Object.entries(either).map(([name, keys]) => {
    const forms = keys.flatMap((key) => (properties[key]?.anyOf as Json[] | undefined) ?? [properties[key] ?? {}]);
    const description = `One of ${keys.map((key) => `\`${key}\``).join(' and ')}.`;
    return [name, { description, anyOf: forms.filter(({ type }) => type !== 'null') }];
  });
  const all = Object.fromEntries([...kept, ...chosen]);
  return components.refer(resultType.name, { ...rest, properties: all, required: Object.keys(all) });
}

function constantHeader(value: string): Json {
  return { description: `Always \`${value}\`.`, schema: { type: 'string', const: value }, required: true };
}

const NOT_COUNTED =
  'Absent for more than 10,000 records if `pagination=keyset` is sent, or if the server is set to leave it out.';

/** Shared response headers by their names in the document. */
export const SHARED_HEADERS: Record<string, Json> = {
  ETag: {
    description: 'The version of the content, for `If-None-Match`.',
    schema: { type: 'string' },
    required: true,
  },
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
    required: true,
  },
  Link: {
    description: 'The URLs of other pages: `prev`, `next`, `first` and `last`.',
    schema: { type: 'string' },
    required: true,
  },
  XTotal: {
    description: `The number of records. ${NOT_COUNTED}`,
    schema: { type: 'integer' },
  },
  XTotalPages: { description: `The number of pages. ${NOT_COUNTED}`, schema: { type: 'integer' } },
  XPerPage: { description: 'The number of records per page.', schema: { type: 'integer' }, required: true },
  XPage: { description: 'The number of this page.', schema: { type: 'integer' }, required: true },
  XNextPage: {
    description: 'The number of the next page; empty on the last page.',
    schema: { type: ['integer', 'string'] },
    required: true,
  },
  XPrevPage: {
    description: 'The number of the previous page; empty on the first page.',
    schema: { type: ['integer', 'string'] },
    required: true,
  },
};

/** Pages that begin behind a record have no number, and a link only where another page follows. */
function paginationHeader(name: string, { keyset }: Route): Json {
  if (!keyset || (!keyset.descending && /^X-(Total|Per)/.test(name))) return headerReference(name);
  const { required: _, ...header } = SHARED_HEADERS[name.replaceAll('-', '')] ?? {};
  return header;
}

function headerReference(name: string): Json {
  const key = name.replaceAll('-', '');
  if (!Object.hasOwn(SHARED_HEADERS, key)) throw new Error(`The document describes no header ${name}`);
  return { $ref: `#/components/headers/${key}` };
}
