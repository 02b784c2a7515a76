import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
} from 'graphql';
import type { Prepared } from '#compat/engine/documents.ts';
import { WrongGlobalId } from '#compat/engine/global_id.ts';
import type { Ask, Given, Run, Site } from '#compat/engine/table.ts';
import type { Translation } from '#compat/engine/translate.ts';

/**
 * Codes of errors about what is not there, or not for the caller to see: in queries the value is null, and that says it all.
 * Credentials that are no good were refused before, and a scope that is missing is told.
 */
const SILENT = new Set<unknown>(['NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED']);

/** Runs an operation: computes the variables of the core operation, runs it, and shapes its answer. */
export async function runOperation(
  schema: GraphQLSchema,
  prepared: Prepared,
  given: Readonly<Record<string, unknown>>,
  ask: Ask,
): Promise<ExecutionResult> {
  const { operation, introspect } = prepared;
  const { variableValues, errors: wrong } = getVariableValues(schema, operation.variableDefinitions ?? [], given, {
    maxErrors: 20,
  });
  if (!variableValues) return { errors: (wrong ?? []).map(wrongVariable) };
  const introspected = introspect?.(given);
  if (introspected && onlyIntrospects(prepared)) return { data: introspected };
  const run = new Running(variableValues);
  const { document, variables, shape, names, roots: all } = prepared.translation();
  const roots = all.filter(({ wanted }) => !wanted || wanted(variableValues as never));
  for (const { site, entry } of roots) await entry.prepare?.(site, run, ask);
  const { data, errors = [] } = await ask(document, variables(run));
  run.errors = errors;
  if (!data) return withoutData(errors, { names, roots }, data);
  let made: Record<string, unknown>;
  try {
    made = { ...(shape(data, run) as object), ...introspected };
  } catch (error) {
    if (error instanceof AnswerTooLarge) return { errors: [error] };
    throw error;
  }
  const isQuery = operation.operation === 'query';
  const left = run.errors.filter(({ extensions }) => !isQuery || !SILENT.has(extensions.code));
  const found = [...left.map((error) => told(error, names)), ...run.told];
  return found.length > 0 ? { data: made, errors: found } : { data: made };
}

/** Values of an answer, and characters of those that are texts: documents name what is read once as often as they like. */
const MAX_VALUES = 200_000;
const MAX_CHARACTERS = 20_000_000;

/** An answer that it would take others too long to wait for. */
class AnswerTooLarge extends GraphQLError {
  constructor() {
    super('The answer is too large: ask for fewer records, or for fewer fields of them.', {
      extensions: { code: 'QUERY_TOO_LARGE' },
    });
  }
}

type Variables = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>;

/** One run of a translated operation. */
class Running implements Run {
  readonly variables: Variables;
  readonly kept = new Map<string, unknown>();
  readonly told: GraphQLError[] = [];
  errors: readonly GraphQLError[] = [];
  readonly #given = new Map<Site['nodes'][0], Given>();
  #values = 0;
  #characters = 0;

  constructor(variables: Variables) {
    this.variables = variables;
  }

  given({ field, nodes: [node] }: Site): Given {
    const known = this.#given.get(node) ?? getArgumentValues(field, node, this.variables);
    this.#given.set(node, known);
    return known;
  }

  take(key: string): GraphQLError | undefined {
    const found = this.errors.find(({ path }) => path?.[0] === key);
    if (found) this.errors = this.errors.filter((error) => error !== found);
    return found;
  }

  tell(error: GraphQLError): void {
    this.told.push(error);
  }

  count(value: unknown): void {
    this.#values += 1;
    if (typeof value === 'string') this.#characters += value.length;
    if (this.#values > MAX_VALUES || this.#characters > MAX_CHARACTERS) throw new AnswerTooLarge();
  }
}

/** What was refused as a whole. A token that can only read is told so at each mutation, as they are null one by one. */
function withoutData(
  errors: readonly GraphQLError[],
  { names, roots }: Pick<Translation, 'names' | 'roots'>,
  data: ExecutionResult['data'],
): ExecutionResult {
  const isOfScope = errors.every(({ extensions }) => extensions.code === 'INSUFFICIENT_SCOPE');
  if (!isOfScope) return { errors: errors.map((error) => told(error, names)), ...(data === null && { data }) };
  const keys = roots.map(({ site: { nodes } }) => (nodes[0].alias ?? nodes[0].name).value);
  const [refusal] = errors;
  return {
    data: Object.fromEntries(keys.map((key) => [key, null])),
    errors: keys.map(
      (key) => new GraphQLError(refusal?.message ?? '', { path: [key], extensions: refusal?.extensions }),
    ),
  };
}

/** An error of the core operation, at the client's name of the field of the root. */
function told({ message, path, extensions }: GraphQLError, names: ReadonlyMap<string, string>): GraphQLError {
  const [root] = path ?? [];
  const name = root === undefined ? undefined : names.get(String(root));
  const { code, retryAfter } = extensions;
  return new GraphQLError(message, {
    ...(name !== undefined && { path: [name] }),
    extensions: { ...(code !== undefined && { code }), ...(retryAfter !== undefined && { retryAfter }) },
  });
}

/** A wrong global ID is told in its own words. */
function wrongVariable(error: GraphQLError): GraphQLError {
  const { originalError, nodes } = error;
  return originalError instanceof WrongGlobalId ? new GraphQLError(originalError.message, { nodes }) : error;
}

function onlyIntrospects({ operation: { selectionSet } }: Prepared): boolean {
  return selectionSet.selections.every((one) => one.kind === Kind.FIELD && one.name.value.startsWith('__'));
}
