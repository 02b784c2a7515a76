import {
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Endpoint, fieldsOf, hasFields } from '#rest/engine/compile.ts';
import { codesNamed } from '#rest/openapi/words.ts';
import type { ErrorCode } from '#src/platform/errors.ts';

/** The schema's facts about an argument or input field that a variable of an operation fills. */
export interface Filled {
  description: string;
  /** The default in this API; undefined if there is none. */
  default: unknown;
}

/** What the variables of an operation fill, by name; of several places the first counts. */
export function filledBy({ document }: Endpoint, schema: GraphQLSchema): ReadonlyMap<string, Filled> {
  const filled = new Map<string, Filled>();
  const types = new TypeInfo(schema);
  const note = (variable: string, definition: Defaulted | null | undefined) => {
    if (!definition || filled.has(variable)) return;
    filled.set(variable, { description: definition.description ?? '', default: defaultOf(definition) });
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      Argument({ value }) {
        // Arguments of directives have no useful description.
        if (value.kind === Kind.VARIABLE && !types.getDirective()) note(value.name.value, types.getArgument());
      },
      ObjectField({ name, value }) {
        const record = getNamedType(types.getParentInputType() ?? undefined);
        if (value.kind === Kind.VARIABLE && isInputObjectType(record)) {
          note(value.name.value, record.getFields()[name.value]);
        }
      },
    }),
  );
  return filled;
}

interface Defaulted {
  description?: string | null | undefined;
  default?: { value?: unknown } | undefined;
  defaultValue?: unknown;
}

/** The default of an argument or input field, as Pothos and graphql store it; undefined if there is none. */
export function defaultOf({ default: fallback, defaultValue }: Defaulted): unknown {
  return fallback?.value ?? defaultValue ?? undefined;
}

/** The field that documents an operation: its mutation, or the query field that is the body. */
export function fieldAnswered(endpoint: Endpoint, schema: GraphQLSchema): GraphQLField<unknown, unknown> {
  const fields = fieldsOnTheWay(endpoint, schema);
  const field = endpoint.route.method === 'GET' ? fields.at(-1) : fields[0];
  if (!field) throw new Error(`${endpoint.route.method} ${endpoint.route.path}: no field of the schema`);
  return field;
}

/** The type of the body's source, with its nullability. */
export function typeAnswered(endpoint: Endpoint, schema: GraphQLSchema): GraphQLOutputType | undefined {
  return fieldsOnTheWay(endpoint, schema).at(-1)?.type;
}

/** The error codes named in the schema's descriptions of an operation and of its result's fields. */
export function codesOf(endpoint: Endpoint, schema: GraphQLSchema): ReadonlySet<ErrorCode> {
  const { resultType, selection, fragments } = endpoint;
  const answered = fieldsOf(selection, fragments).map(({ field }) => resultType.getFields()[field]);
  const descriptions = [fieldAnswered(endpoint, schema), ...answered].map((field) => field?.description ?? '');
  return new Set(descriptions.flatMap(codesNamed));
}

/** The fields from the root of the operation to its result. */
function fieldsOnTheWay({ document, resultPath, fragments }: Endpoint, schema: GraphQLSchema) {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const found: GraphQLField<unknown, unknown>[] = [];
  let type: unknown = operation?.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType();
  let selection = operation?.selectionSet;
  for (const key of resultPath) {
    const selected = selection && fieldsOf(selection, fragments).find(({ name }) => name === key);
    const field = selected && hasFields(type) ? type.getFields()[selected.field] : undefined;
    if (!selected || !field) break;
    found.push(field);
    type = getNamedType(field.type);
    selection = selected.selection;
  }
  return found;
}
