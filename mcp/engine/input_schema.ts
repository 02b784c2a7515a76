import {
  type ASTNode,
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Differences, type Manner, type Taken, takenBy } from '#schema/input_fields.ts';

/** A JSON Schema of values. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The JSON Schema of an object, as arguments of tools are. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly required: string[];
  readonly additionalProperties: false;
}

/** The JSON of scalars. Those of files have none: they are not among the arguments. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  Float: { type: 'number' },
  ID: { type: ['string', 'integer'] },
  Int: { type: 'integer' },
  ProjectRef: { type: ['string', 'integer'] },
  String: { type: 'string' },
};

/** Arguments are called as in the schema, and are records where they are there. */
const MANNER: Manner = { word: (field) => field, opens: () => null, nests: false };

/** What the arguments of a tool fill: the variables of its operation, with the fields of `$input` in its place. */
export function argumentsOf(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  differences?: Differences,
): Taken[] {
  return takenBy(operation, schema, differences ?? {}, MANNER);
}

/** Values that cannot be sent as JSON. */
const FILES = 'Upload';

/** How deep input types may nest. */
const MAX_INPUT_DEPTH = 6;

/**
 * The arguments of a tool as a JSON Schema: what its operation takes, each described as the argument or field that it fills unless said
 * otherwise. Throws for one whose type has no JSON.
 *
 * @param described descriptions by argument
 */
export function inputSchemaOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  described: Readonly<Record<string, string>> = {},
  differences?: Differences,
): ObjectSchema {
  const taken = argumentsOf(operation, schema, differences);
  const filled = descriptionsOfFilled(document, schema);
  const properties: Record<string, JsonSchema> = {};
  for (const { keys, fills, type, field, definition } of taken) {
    const name = keys.join('.');
    const text = described[name] ?? (field ? field.description : filled.get(fills[0]));
    const { defaultValue: written } = definition;
    const ofVariable = written && !field ? valueFromAST(written, type) : undefined;
    const fallback = jsonOf(ofVariable ?? field?.defaultValue, type);
    properties[name] = {
      ...schemaOf(type),
      ...(text && { description: text }),
      ...(fallback !== undefined && { default: fallback }),
    };
  }
  const missing = Object.keys(described).find((name) => !Object.hasOwn(properties, name));
  if (missing !== undefined) throw new Error(`${operation.name?.value} has no variable $${missing}`);
  const required = taken.filter((one) => one.required).map(({ keys }) => keys.join('.'));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The descriptions of what variables fill, by variable: of the first argument or input field in the document that has one. */
function descriptionsOfFilled(document: DocumentNode, schema: GraphQLSchema): Map<string, string> {
  const found = new Map<string, string>();
  const info = new TypeInfo(schema);
  const parents: ASTNode[] = [];
  visit(
    document,
    visitWithTypeInfo(info, {
      enter(node) {
        const parent = parents.at(-1);
        parents.push(node);
        if (node.kind !== Kind.VARIABLE || found.has(node.name.value)) return;
        const text = parent && descriptionAt(parent, info);
        if (text) found.set(node.name.value, text);
      },
      leave() {
        parents.pop();
      },
    }),
  );
  return found;
}

function descriptionAt(parent: ASTNode, info: TypeInfo): string | null | undefined {
  if (parent.kind === Kind.ARGUMENT) return info.getArgument()?.description;
  if (parent.kind !== Kind.OBJECT_FIELD) return undefined;
  const type = getNamedType(info.getParentInputType());
  return isInputObjectType(type) ? type.getFields()[parent.name.value]?.description : undefined;
}

function schemaOf(type: GraphQLInputType, depth = 0): JsonSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType, depth);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, depth) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (isInputObjectType(type)) {
    if (depth === MAX_INPUT_DEPTH) throw new Error(`${type.name} nests too deeply for the arguments of a tool`);
    const fields = Object.values(type.getFields()).filter((field) => getNamedType(field.type).name !== FILES);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field, depth)])),
      required: fields.filter(isRequired).map(({ name }) => name),
      additionalProperties: false,
    };
  }
  const scalar = SCALARS[type.name];
  if (!scalar) throw new Error(`There is no JSON for ${type.name} in the arguments of a tool`);
  return scalar;
}

function schemaOfField({ type, description, defaultValue }: GraphQLInputField, depth: number): JsonSchema {
  return {
    ...schemaOf(type, depth + 1),
    ...(description && { description }),
    ...(defaultValue !== undefined && { default: jsonOf(defaultValue, type) }),
  };
}

function isRequired({ type, defaultValue }: GraphQLInputField): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

/** A default as clients would send it: enums have values of their own inside. */
function jsonOf(value: unknown, type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  return isEnumType(named) ? named.getValues().findLast((one) => one.value === value)?.name : value;
}
