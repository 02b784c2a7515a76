import type { Keyset } from '#rest/engine/route.ts';
import type { Json } from '#rest/openapi/components.ts';
import type { Input } from '#rest/openapi/inputs.ts';

/** The parameter object of a parameter. Queries have no null: absent parameters are left out. */
export function parameterObject({ name, in: place, required, isList, schema, description }: Input): Json {
  return { name: isList ? `${name}[]` : name, in: place, required, description, schema: withoutNull(schema) };
}

/** A schema without null, for queries and forms. */
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

/** Shared parameters by their names in the document. */
export const SHARED_PARAMETERS: Record<string, Json> = {
  Page: {
    name: 'page',
    in: 'query',
    description: 'The number of the page, starting at 1.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  PerPage: {
    name: 'per_page',
    in: 'query',
    description: 'The number of records per page.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  Pagination: {
    name: 'pagination',
    in: 'query',
    description:
      'With `keyset`, a list of more than 10,000 records is not counted: it comes without `X-Total`, `X-Total-Pages` and a link to its last page.',
    schema: { type: 'string' },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'The range of the content to send: `bytes=0-99`.',
    schema: { type: 'string' },
  },
  IfUnmodifiedSince: {
    name: 'If-Unmodified-Since',
    in: 'header',
    description: 'A time: the record is only deleted if it has not changed since, by the second.',
    schema: { type: 'string' },
  },
  Sudo: {
    name: 'sudo',
    in: 'query',
    description:
      'ID or username of the user to act as. For administrators who use their private token. The header `SUDO` does the same.',
    schema: { type: ['integer', 'string'] },
  },
};

/** The parameters with which a list is paged by its records. */
export function keysetParameters({ parameter, key, descending }: Keyset): Json[] {
  const which =
    key === undefined ? 'in the link to the next page' : `the \`${key}\` of the last record of the page before`;
  if (descending) {
    const where = `\`${parameter}\` or \`${descending}\``;
    return [
      {
        name: 'pagination',
        in: 'query',
        description: `How the list is paged: with \`keyset\`, in the order of the IDs, by ${where}, in the header \`Link\`, instead of numbers.`,
        schema: { type: 'string' },
      },
    ];
  }
  return [
    {
      name: 'pagination',
      in: 'query',
      description: `How the list is paged: with \`keyset\` by its records instead of numbers, as \`${parameter}\` says. The header \`Link\` then has the next page alone.`,
      schema: { type: 'string' },
    },
    {
      name: parameter,
      in: 'query',
      description: `Behind which record a page begins with \`pagination=keyset\`: ${which}.`,
      schema: { type: 'string' },
    },
  ];
}

export function sharedParameter(
  name: 'Page' | 'PerPage' | 'Pagination' | 'Range' | 'IfUnmodifiedSince' | 'Sudo',
): Json {
  return { $ref: `#/components/parameters/${name}` };
}
