import {
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { codeOf } from '#schema/answer/error_codes.ts';
import { inputPath } from '#schema/answer/input_names.ts';
import { add, placeOf, wrongLiterals, wrongVariables } from '#schema/answer/wrong_values.ts';
import { REFUSED } from '#schema/limits.ts';
import { domainErrorOf, type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** An operation as requested. */
export interface Asked {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variables: Readonly<Record<string, unknown>>;
}

/**
 * The result with its errors in the form of this API (docs/graphql.md): a listed `code`, `fields` by the names of the input. REST
 * uses the errors of the domain as they are.
 */
export function withToldErrors(result: ExecutionResult, asked: Asked): ExecutionResult {
  const { errors } = result;
  if (!errors?.length) return result;
  const operation = getOperationAST(asked.document, asked.operationName);
  const isCoercion = !('data' in result) && errors.every(({ extensions, path }) => !extensions.code && !path);
  if (isCoercion && operation) {
    const fields = wrongVariables(asked.schema, asked.document, operation, asked.variables);
    if (Object.keys(fields).length > 0) return { ...result, errors: [wrongValues(fields, operation)] };
    // An invalid default of a variable is an error in the document.
    return { ...result, errors: errors.map(invalid) };
  }
  return { ...result, errors: errors.map((error) => told(error, operation, asked)) };
}

/** Replaces errors of validation: those about invalid values are merged per field, in the form of the domain's. */
export function toldValidation(
  schema: GraphQLSchema,
  document: DocumentNode,
  errors: readonly GraphQLError[],
): GraphQLError[] {
  const wrong = wrongLiterals(schema, document);
  const values = new Set(wrong.flatMap(({ told }) => told));
  const others = errors.filter(({ message }) => !values.has(message));
  return [...others.map(invalid), ...wrong.map(({ fields, node }) => wrongValues(fields, node))];
}

/** The error of a request that was not executed, with a listed code. */
export function withCode(error: GraphQLError): GraphQLError {
  const { error: challenge, sudo, ...extensions } = error.extensions;
  const code = codeOf(extensions.code);
  const status = STATUS[code];
  const { retryAfter } = extensions;
  const headers = retryAfter === undefined ? {} : { headers: { 'Retry-After': String(retryAfter) } };
  const refused = status === undefined || error.path ? headers : { spec: true, status, ...headers };
  const http = extensions.http ?? (Object.keys(refused).length > 0 ? refused : undefined);
  return changed(error, error.message, { ...extensions, code, ...(http !== undefined && { http }) });
}

/** Statuses of requests that were not executed, for clients that ask for `application/graphql-response+json`. */
const STATUS: Readonly<Record<string, number>> = { UNAUTHENTICATED: 401, RATE_LIMITED: 429, UNAVAILABLE: 503 };

function told(error: GraphQLError, operation: OperationDefinitionNode | null | undefined, asked: Asked): GraphQLError {
  const { nodes, extensions, message } = error;
  const [node] = nodes ?? [];
  if (extensions.code === undefined && !error.path) return withCode(error);
  if (extensions.code === undefined) {
    // An argument rejects the value of a variable; any other error without a code is a bug in the schema.
    if (node?.kind !== Kind.VARIABLE) return changed(error, message, { ...extensions, code: 'INTERNAL_SERVER_ERROR' });
    const fields: FieldErrors = {};
    add(fields, placeOf(asked.document, node.name.value), ['must not be null']);
    return changed(error, sentence(fields), { code: 'VALIDATION_FAILED', fields });
  }
  const field = node?.kind === Kind.FIELD ? node : undefined;
  const { fields: ofDomain, about, error: _, sudo: __, ...rest } = extensions;
  const named = typeof about === 'string' ? { [about]: [message] } : (about ?? ofDomain);
  const code = codeOf(extensions.code);
  if (!named) return changed(error, worded(error), { ...rest, code });
  const fields: FieldErrors = {};
  for (const [name, messages] of Object.entries(named as FieldErrors)) {
    add(fields, [inputPath(name, field, operation, asked.schema)], messages);
  }
  return changed(error, domainErrorOf(error) instanceof ValidationFailed ? sentence(fields) : message, {
    ...rest,
    code,
    fields,
  });
}

function invalid(error: GraphQLError): GraphQLError {
  return changed(error, error.message, { ...error.extensions, code: 'GRAPHQL_VALIDATION_FAILED', http: REFUSED });
}

function wrongValues(fields: FieldErrors, nodes: ASTNode | null): GraphQLError {
  const extensions = { code: 'VALIDATION_FAILED', fields, http: REFUSED };
  return new GraphQLError(sentence(fields), { nodes, extensions });
}

/** Joins all errors: `title can't be blank, color must be a valid color code`. */
function sentence(fields: FieldErrors): string {
  const all = Object.entries(fields).flatMap(([place, messages]) => {
    const name = place.replace(/^input\./, '');
    return messages.map((message) => (/^\p{Lu}/u.test(message) ? `${name}: ${message}` : `${name} ${message}`));
  });
  return all.join(', ');
}

/** Domain errors name the GraphQL type: `AccessRequest not found` becomes `Access request not found`. */
function worded(error: GraphQLError): string {
  const cause = domainErrorOf(error);
  if (!(cause instanceof NotFound) || cause.reason === 'explained') return error.message;
  const [first = '', ...others] = cause.resource.replace(/([a-z])([A-Z])/g, '$1 $2').split(' ');
  return new NotFound([first, ...others.map((word) => word.toLowerCase())].join(' ')).message;
}

function changed(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError {
  const { nodes, source, positions, path, originalError } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}
