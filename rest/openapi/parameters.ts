import { isListType, isNonNullType } from 'graphql';
import type { Parameter } from '#rest/engine/coerce.ts';
import type { Json } from '#rest/openapi/components.ts';

/** A parameter as an operation lists it. A query has no null: there a parameter is left out. */
export function parameterObject(
  { name, required, type, commaSeparated, in: place }: Parameter,
  { schema, description }: { schema: Json; description: string },
): Json {
  const isList = isListType(isNonNullType(type) ? type.ofType : type) && !commaSeparated;
  return {
    name: isList ? `${name}[]` : name,
    in: place === 'path' ? 'path' : 'query',
    required: place === 'path' || required,
    description,
    schema: withoutNull(schema),
  };
}

/** A schema as it holds where nothing can be null: in a query, or a form. */
export function withoutNull({ ...schema }: Json): Json {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    schema.type = types.length === 1 ? types[0] : types;
  }
  if (Array.isArray(schema.enum)) schema.enum = schema.enum.filter((word) => word !== null);
  if (!Array.isArray(schema.anyOf)) return schema;
  const { anyOf, ...rest } = schema;
  const choices = (anyOf as Json[]).filter(({ type }) => type !== 'null');
  return choices.length === 1 ? { ...choices[0], ...rest } : { anyOf: choices, ...rest };
}

/** Parameters that many operations have, by the names under which they stand in the document. */
export const SHARED_PARAMETERS: Record<string, Json> = {
  Page: {
    name: 'page',
    in: 'query',
    description: 'Number of the page, from 1.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  PerPage: {
    name: 'per_page',
    in: 'query',
    description: 'How many records a page has.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  Sudo: {
    name: 'sudo',
    in: 'query',
    description:
      'ID or username of the user as whom the request is made. For administrators. The header `SUDO` does the same.',
    schema: { type: ['integer', 'string'] },
  },
};

export function sharedParameter(name: keyof typeof SHARED_PARAMETERS): Json {
  return { $ref: `#/components/parameters/${name}` };
}
