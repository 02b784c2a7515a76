import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type ValueNode,
} from 'graphql';
import { inputPath } from '#schema/answer/input_names.ts';
import type { FieldErrors } from '#src/platform/errors.ts';

/** Errors of a form by field; those of no field in particular are under the empty name. */
export type Problems = Readonly<Record<string, string>>;

/** Codes of errors that the user can mend in the form, which may name what is not there. */
const MENDABLE = ['VALIDATION_FAILED', 'BAD_REQUEST', 'CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'CONTENT_TOO_LARGE'];

/**
 * What is wrong with a form, by its fields; null for errors that the user cannot mend.
 */
export function problemsOf(
  { errors = [] }: ExecutionResult,
  document: DocumentNode,
  schema: GraphQLSchema,
  fieldOf: FieldOf,
): Problems | null {
  const error = errors.find(({ extensions }) => MENDABLE.includes(String(extensions.code)));
  if (!error) return null;
  const { about } = error.extensions;
  const details = (error.extensions.details ?? {}) as Record<string, readonly string[]>;
  // v4 has other names for some fields, or reports fewer of them.
  const named = typeof about === 'string' ? { [about]: [error.message] } : (about ?? error.extensions.fields);
  const fields = Object.entries((named ?? {}) as Record<string, readonly string[]>);
  if (fields.length === 0) return { '': error.message };
  const messages = Object.fromEntries(fields.map(([name, all]) => [name, details[name] ?? all]));
  return byVariable(messages, (name) => variableFor(name, error.path?.[0], document, schema, fieldOf));
}

/** What the domain finds wrong with a form before its mutation runs, by the variables of that. */
export function problemsFound(
  fields: FieldErrors,
  document: DocumentNode,
  schema: GraphQLSchema,
  fieldOf: FieldOf,
): Problems {
  return byVariable(fields, (name) => variableFor(name, undefined, document, schema, fieldOf));
}

function byVariable(
  fields: Readonly<Record<string, readonly string[]>>,
  variableOf: (name: string) => string | null,
): Problems {
  const problems: Record<string, string> = {};
  for (const [name, messages] of Object.entries(fields)) {
    const variable = variableOf(name);
    const message = messages.join(', ');
    if (variable === null) problems[''] = sentenceOf(name, message);
    // Several fields may be of one variable, such as a key and what is made of it: the first says what is wrong.
    else problems[variable] ??= message;
  }
  return problems;
}

/** What is wrong with a field that the form does not show: a message continues the name of its field, unless it is a sentence. */
export function sentenceOf(name: string, message: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return /^[A-Z]/.test(message) ? message : `${words} ${message}`;
}

/** The field of a form that fills a variable, or a field of `$input`; null if none does. */
export type FieldOf = (fills: readonly string[]) => string | null;

/** The field that fills the input of which the domain speaks by this name, of the mutation with the key, or the first; null if none does. */
function variableFor(
  name: string,
  key: string | number | undefined,
  document: DocumentNode,
  schema: GraphQLSchema,
  fieldOf: FieldOf,
): string | null {
  const operation = getOperationAST(document);
  const field = operation?.selectionSet.selections.find(
    (selection): selection is FieldNode =>
      selection.kind === Kind.FIELD && (key === undefined || key === (selection.alias ?? selection.name).value),
  );
  const [argument, ...within] = inputPath(name, field, operation, schema).split('.');
  let value: ValueNode | undefined = field?.arguments?.find((one) => one.name.value === argument)?.value;
  if (value?.kind === Kind.VARIABLE) return fieldOf([value.name.value, ...within]);
  for (const key of within) {
    // A form fills one entry of a list.
    if (value?.kind === Kind.LIST) value = value.values[0];
    value = value?.kind === Kind.OBJECT ? value.fields.find((one) => one.name.value === key)?.value : undefined;
  }
  return value?.kind === Kind.VARIABLE ? value.name.value : null;
}
