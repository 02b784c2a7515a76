import {
  type GraphQLInputType,
  type GraphQLOutputType,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { isNumeric, snakeCase } from '#rest/engine/coerce.ts';
import { type Endpoint, type FieldsType, fieldsOf, hasFields } from '#rest/engine/compile.ts';

/** A JSON Schema, or another part of the OpenAPI document. */
export type Json = Record<string, unknown>;
/** The schemas of records by the names of their fragments, so that each stands in the document once. */
export type Records = Map<string, Json>;

interface Shape {
  fragments: Endpoint['fragments'];
  records: Records;
  /** Keys of the record whose numbers are texts. */
  texts?: ReadonlySet<string>;
}

/** The schema of a value that an operation answers with; `omitted` are the keys that a record may lack. */
export function outputSchema(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  shape: Shape,
  omitted: readonly string[] = [],
): Json {
  if (!isNonNullType(type)) return orNull(bareOutput(type, selection, shape, omitted));
  return bareOutput(type.ofType, selection, shape, omitted);
}

function bareOutput(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  shape: Shape,
  omitted: readonly string[],
): Json {
  if (isListType(type)) return { type: 'array', items: outputSchema(type.ofType, selection, shape, omitted) };
  if (hasFields(type) && selection) return objectSchema(type, selection, shape, omitted);
  return named(type);
}

/** The schema of a record; a reference where the selection is just a fragment. */
export function objectSchema(
  type: FieldsType,
  selection: SelectionSetNode,
  shape: Shape,
  omitted: readonly string[],
): Json {
  const schema = recordSchema(type, selection, shape, omitted);
  const [only, ...others] = selection.selections;
  if (only?.kind !== Kind.FRAGMENT_SPREAD || only.directives?.length || others.length > 0) return schema;
  return { $ref: `#/components/schemas/${keep(shape.records, only.name.value, schema)}` };
}

function recordSchema(type: FieldsType, selection: SelectionSetNode, shape: Shape, omitted: readonly string[]): Json {
  const properties: Json = {};
  const required = new Set<string>();
  for (const { name, field, selection: inner, optional } of fieldsOf(selection, shape.fragments)) {
    const definition = type.getFields()[field];
    if (!definition) continue;
    const within = omitted.flatMap((key) => (key.startsWith(`${name}.`) ? [key.slice(name.length + 1)] : []));
    const shown = shape.texts?.has(name) ? GraphQLString : definition.type;
    properties[name] = outputSchema(shown, inner, shape, within);
    if (!optional && !omitted.includes(name)) required.add(name);
  }
  return { type: 'object', properties, required: [...required] };
}

/** Keeps a schema under the name, or a numbered one where routes differ in what they leave out. */
function keep(records: Records, name: string, schema: Json): string {
  const text = JSON.stringify(schema);
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? name : `${name}${number}`;
    const known = records.get(key);
    if (known === undefined) records.set(key, schema);
    if (known === undefined || JSON.stringify(known) === text) return key;
  }
}

/** The schema of a scalar or an enum. */
export function named(type: GraphQLInputType | GraphQLOutputType): Json {
  if (isInputObjectType(type)) {
    const properties = Object.values(type.getFields()).map((field) => [
      snakeCase(field.name),
      named(isNonNullType(field.type) ? field.type.ofType : field.type),
    ]);
    return { type: 'object', properties: Object.fromEntries(properties) };
  }
  if (isEnumType(type)) {
    const words = type.getValues().map(({ value }) => value);
    return isNumeric(type)
      ? { type: 'integer', enum: words.toSorted((a, b) => a - b) }
      : { type: 'string', enum: words };
  }
  return SCALARS['name' in type ? type.name : ''] ?? {};
}

const SCALARS: Record<string, Json> = {
  Int: { type: 'integer' },
  ID: { type: 'integer' },
  Long: { type: 'integer' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  CommitDateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  Upload: { type: 'string', format: 'binary' },
  ProjectRef: { type: ['integer', 'string'], description: 'Numeric ID or URL-encoded full path.' },
  GroupRef: { type: ['integer', 'string'], description: 'Numeric ID or URL-encoded full path.' },
  NamespaceRef: { type: 'string' },
};

function orNull(schema: Json): Json {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const words = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...words, type: [schema.type, 'null'] };
}
