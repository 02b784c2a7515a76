import {
  GraphQLNonNull,
  type GraphQLOutputType,
  GraphQLString,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type Endpoint, type FieldsType, fieldsOf, hasFields } from '#rest/engine/compile.ts';
import type { Components, Json } from '#rest/openapi/components.ts';
import { scalarSchema } from '#rest/openapi/scalars.ts';
import { inRestWords } from '#rest/openapi/words.ts';

/** What building the schemas of an operation's records needs. */
export interface Shape {
  fragments: Endpoint['fragments'];
  components: Components;
  /** Keys of the record whose numbers are texts. */
  texts?: ReadonlySet<string>;
  /** Keys that records may lack, here and below. */
  absent?: ReadonlySet<string>;
  /** Keys that are an object with these keys in place of null. */
  blank?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Keys that may have the records of a connection at another key as their value. */
  replaceKey?: Readonly<Record<string, string>> | undefined;
}

/** The schema of a value in a response; `omitted` are the keys that a record may lack. */
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
  return isEnumType(type) ? shape.components.enum(type) : scalarSchema(type);
}

/** The schema of a record; a reference if the selection is a single fragment. */
export function objectSchema(
  type: FieldsType,
  selection: SelectionSetNode,
  shape: Shape,
  omitted: readonly string[],
): Json {
  const schema = recordSchema(type, selection, shape, omitted);
  const [only, ...others] = selection.selections;
  if (only?.kind !== Kind.FRAGMENT_SPREAD || only.directives?.length || others.length > 0) return schema;
  return shape.components.refer(only.name.value, schema);
}

/** The inline schema of a record. */
export function recordSchema(
  type: FieldsType,
  selection: SelectionSetNode,
  shape: Shape,
  omitted: readonly string[],
): Json {
  const properties: Json = {};
  const required = new Set<string>();
  for (const { name, field, selection: inner, optional } of fieldsOf(selection, shape.fragments)) {
    const definition = type.getFields()[field];
    if (!definition) continue;
    const within = omitted.flatMap((key) => (key.startsWith(`${name}.`) ? [key.slice(name.length + 1)] : []));
    const shown = typeShown(definition.type, { asText: shape.texts?.has(name), isOmitted: omitted.includes(name) });
    const description = inRestWords(definition.description ?? '', definition.type);
    properties[name] = { ...withBlank(outputSchema(shown, inner, shape, within), shape.blank?.[name]), description };
    if (!optional && !omitted.includes(name) && !shape.absent?.has(name)) required.add(name);
  }
  for (const [key, other] of Object.entries(shape.replaceKey ?? {})) chooseEither(properties, key, other);
  return { type: 'object', properties, required: [...required] };
}

/** Lets the value of a key also be the records of the connection at the other one, if the record has both. */
function chooseEither(properties: Json, key: string, other: string): void {
  const [own, connection] = [properties[key], properties[other]] as (Json | undefined)[];
  if (!own || !connection) return;
  const { description, ...plain } = own;
  const { nodes } = connection.properties as { nodes: Json };
  properties[key] = { anyOf: [plain, { type: 'array', items: nodes.items }], description };
  delete properties[other];
}

/** A record, or an object with these keys, which are null, in place of null. */
function withBlank(schema: Json, names: readonly string[] | undefined): Json {
  if (!names) return schema;
  const { anyOf = [] } = schema as { anyOf?: Json[] };
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'null', description: 'Always null.' }]));
  const blank = { type: 'object', properties, required: [...names], additionalProperties: false };
  return { ...schema, anyOf: [...anyOf.filter(({ type }) => type !== 'null'), blank] };
}

/** The type of a key: a number may be written as a text, and a key that is omitted when null is never null. */
function typeShown(
  type: GraphQLOutputType,
  { asText = false, isOmitted }: { asText?: boolean | undefined; isOmitted: boolean },
): GraphQLOutputType {
  const bare = asText ? GraphQLString : getNullableType(type);
  return isNonNullType(type) || isOmitted ? new GraphQLNonNull(bare) : bare;
}

/** The schema, with null allowed. */
export function orNull(schema: Json): Json {
  if (schema.type === undefined && schema.$ref === undefined && schema.anyOf === undefined) return schema;
  if (schema.$ref !== undefined) {
    const { description, default: fallback, ...other } = schema;
    const kept = { ...(description ? { description } : {}), ...(fallback === undefined ? {} : { default: fallback }) };
    return { anyOf: [other, { type: 'null' }], ...kept };
  }
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const words = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...words, type: [...types, 'null'] };
}
