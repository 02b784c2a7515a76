import {
  type DocumentNode,
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  getVariableValues,
  isAbstractType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Complete, completerOf, forget, PLAIN } from '#schema/plan/complete.ts';
import { collectFields, type Fragments, type Selected } from '#schema/plan/fields.ts';
import { promiseOf } from '#schema/plan/promise.ts';
import { type ErrorBehavior, keysOf, type Path, Run } from '#schema/plan/run.ts';
import { readerOf, readsOf } from '#schema/records/plugin.ts';

/**
 * A precomputed execution of an operation of a valid document: what graphql-js works out for each value of each response (which
 * fields are selected, their types, how they are completed) is worked out once. Responses equal those of graphql-js in data and
 * errors (test/schema/plan.test.ts).
 */
export class Plan {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: Fragments;
  readonly #isMutation: boolean;
  readonly #root: Compose;

  /** Null for what plans do not support: introspection, subscriptions. */
  static of(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Plan | null {
    const type = schema.getRootType(operation.operation);
    if (!type || operation.operation === 'subscription') return null;
    try {
      return new Plan(schema, document, operation, type);
    } catch (error) {
      if (error instanceof Unplannable) return null;
      throw error;
    }
  }

  private constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    type: GraphQLObjectType,
  ) {
    this.#schema = schema;
    this.#operation = operation;
    this.#isMutation = operation.operation === 'mutation';
    const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = Object.fromEntries(fragments.map((one) => [one.name.value, one]));
    this.#root = this.#object(type, [operation.selectionSet], this.#isMutation);
  }

  /**
   * Executes the operation.
   *
   * @throws the reason of the signal if that is aborted before the response is complete
   */
  async execute(
    given: Readonly<Record<string, unknown>>,
    context: unknown,
    signal: AbortSignal = NEVER,
    onError: ErrorBehavior = 'PROPAGATE',
  ): Promise<ExecutionResult> {
    signal.throwIfAborted();
    const { variableValues, errors } = getVariableValues(
      this.#schema,
      this.#operation.variableDefinitions ?? [],
      given,
      { maxErrors: 50 },
    );
    if (!variableValues) return { errors: errors ?? [] };
    const run = new Run(variableValues, context, signal, onError);
    const answer = this.#answer(run);
    return signal === NEVER ? answer : untilAborted(answer, signal);
  }

  async #answer(run: Run): Promise<ExecutionResult> {
    let data: Record<string, unknown> | null = null;
    try {
      data = (await this.#root(undefined, run, undefined)) as Record<string, unknown>;
    } catch (error) {
      run.note(error as GraphQLError, undefined);
    }
    return run.errors.length > 0 ? { errors: run.errors, data } : { data };
  }

  /** Returns a function that builds the selected fields of objects of a type; sequentially for mutations. */
  #object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], serially = false): Compose {
    const fields = collectFields(this.#schema, this.#fragments, type, sets).map((selected) =>
      this.#field(type, selected),
    );
    const empty = emptyAnswer(fields);
    if (serially) {
      return async (source, run, path) => {
        const answer = empty();
        for (const { name, wanted, resolve } of fields) {
          if (wanted && !wanted(run.variables)) continue;
          run.signal.throwIfAborted();
          answer[name] = await resolve(source, run, path);
        }
        return answer;
      };
    }
    return (source, run, path) => {
      const answer = empty();
      let waiting: Waiting[] | undefined;
      try {
        // By index: this runs for each object of each response, and iterators would take a quarter more time.
        for (let index = 0; index < fields.length; index++) {
          const { name, wanted, resolve } = fields[index] as Field;
          if (wanted && !wanted(run.variables)) continue;
          const value = resolve(source, run, path);
          answer[name] = value;
          if (value instanceof Promise) {
            waiting ??= [];
            waiting.push({ name, value });
          }
        }
      } catch (error) {
        forget(waiting?.map(({ value }) => value));
        throw error;
      }
      return waiting ? settled(answer, waiting) : answer;
    };
  }

  #field(parent: GraphQLObjectType, { name, nodes, wanted }: Selected): Field {
    const [first] = nodes;
    if (first.name.value === '__typename') return { name, wanted, resolve: () => parent.name };
    const field = parent.getFields()[first.name.value];
    if (!field) throw new Unplannable();
    const sets = nodes.flatMap((node) => (node.selectionSet ? [node.selectionSet] : []));
    const complete = this.#completer(parent, field, nodes, sets);
    const read = this.#reader(parent, field, nodes);
    const { type } = field;
    const resolve: Compose = (source, run, prev) => {
      const path: Path = { prev, key: name, typename: parent.name };
      try {
        const value = read(source, run, path);
        const pending = promiseOf(value);
        const completed = pending
          ? pending.then((settled) => {
              run.signal.throwIfAborted();
              return complete(settled, run, path);
            })
          : complete(value, run, path);
        if (!(completed instanceof Promise)) return completed;
        return completed.catch((error: unknown) => failed(error, run, path, type, nodes));
      } catch (error) {
        return failed(error, run, path, type, nodes);
      }
    };
    return { name, wanted, resolve: withShortcut(field, resolve) };
  }

  /** Returns a function that reads the value of a field from its object. */
  #reader(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>, nodes: Selected['nodes']): Read {
    const path = pathOf(field);
    if (path) return readerOf(path, `${parent.name}.${field.name}`);
    const property = exposedBy(field);
    if (property !== undefined) return (source) => (source as Answer)[property];
    const { resolve = defaultFieldResolver } = field;
    const [node] = nodes;
    const fixed = usesVariables(node) ? null : getArgumentValues(field, node, NO_VARIABLES);
    const place = { field, node };
    const infoOf = this.#info(parent, field, nodes);
    return (source, run, path) => {
      const args = fixed ?? run.args(place);
      return resolve(source, args, run.context, infoOf(run, path));
    };
  }

  /** The resolver info about the field and the operation. */
  #info(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>, nodes: Selected['nodes']) {
    const common = {
      fieldName: field.name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType: parent,
      schema: this.#schema,
      fragments: this.#fragments,
      rootValue: undefined,
      operation: this.#operation,
      getAsyncHelpers: noHelpers,
    };
    return (run: Run, path: Path): GraphQLResolveInfo => ({
      ...common,
      path,
      variableValues: run.variables,
      getAbortSignal: run.getSignal,
    });
  }

  #completer(
    parent: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    nodes: Selected['nodes'],
    sets: readonly SelectionSetNode[],
  ): Complete {
    const infoOf = this.#info(parent, field, nodes);
    const made = new Map<string, Compose>();
    const object = (type: GraphQLObjectType) => {
      const known = made.get(type.name) ?? this.#object(type, sets);
      made.set(type.name, known);
      return known;
    };
    return completerOf(field.type, {
      field: `${parent.name}.${field.name}`,
      object: (type) => {
        let compose: Compose | undefined;
        // Built on first use, as a type may contain itself.
        return (source, run, path) => {
          compose ??= object(type);
          return compose(source, run, path);
        };
      },
      failed: (error, run, path, type) => failed(error, run, path, type, nodes),
      typeOf: (value, run, path, type) => typeOf(this.#schema, value, run, type, infoOf(run, path)),
    });
  }
}

/** Thrown for what plans do not support. */
class Unplannable extends Error {}

type Answer = Record<string, unknown>;
/** Builds the selected fields of an object; the path is undefined for the root. */
type Compose = (source: unknown, run: Run, path: Path | undefined) => unknown;
type Read = (source: unknown, run: Run, path: Path) => unknown;

interface Field {
  name: string;
  wanted: Selected['wanted'];
  resolve: Compose;
}

/**
 * Creates an empty response object. Objects without a prototype take longer to fill and serialize; one is needed only if a field
 * would otherwise be the prototype.
 */
function emptyAnswer(fields: readonly Field[]): () => Answer {
  return fields.some(({ name }) => name === '__proto__') ? () => Object.create(null) : () => ({});
}

/** A field of a response whose value is pending. */
interface Waiting {
  name: string;
  value: Promise<unknown>;
}

/** A response object, once all of its values are there. */
async function settled(answer: Answer, waiting: Waiting[]): Promise<Answer> {
  const values = await Promise.all(waiting.map(({ value }) => value));
  for (const [index, { name }] of waiting.entries()) answer[name] = values[index];
  return answer;
}

/** The path of a field's value in its record, if its resolver only reads it there. */
function pathOf(field: GraphQLField<unknown, unknown>): readonly string[] | undefined {
  const { path, isGuarded = false } = readsOf(field) ?? {};
  return (!isGuarded && path) || undefined;
}

/** The property that the resolver of a field reads from its object, if it does only that. */
function exposedBy(field: GraphQLField<unknown, unknown>): string | undefined {
  if (readsOf(field)?.isGuarded) return undefined;
  const property = field.extensions.pothosExposedField;
  return typeof property === 'string' ? property : undefined;
}

/**
 * Like `resolve`, with a fast path for the most frequent values: strings, numbers and booleans in the record. Errors about wrong
 * values, and their paths, are left to `resolve`.
 */
function withShortcut(field: GraphQLField<unknown, unknown>, resolve: Compose): Compose {
  const type = getNullableType(field.type);
  const property = exposedBy(field);
  const path = pathOf(field) ?? (property === undefined ? undefined : [property]);
  if (!path || !isLeafType(type)) return resolve;
  const isNullable = !isNonNullType(field.type);
  const plain = PLAIN[type.name];
  const [first = '', ...rest] = path;
  return (source, run, prev) => {
    try {
      let value = (source as Answer)[first];
      for (const part of rest) value = value && (value as Answer)[part];
      if (typeof value === plain) return value;
      if (value === null && isNullable) return null;
      const isSimple = plain === undefined && value !== undefined && typeof value !== 'object';
      const coerced = isSimple ? type.coerceOutputValue(value) : null;
      if (coerced != null) return coerced;
    } catch {
      // `resolve` throws the same error with its path.
    }
    return resolve(source, run, prev);
  };
}

const NEVER = new AbortController().signal;
const NO_VARIABLES = { sources: {}, coerced: {} };

/** No caller waits for work that resolvers leave behind. */
const noHelpers: GraphQLResolveInfo['getAsyncHelpers'] = () => ({
  promiseAll: (values) => Promise.all(values),
  track: () => undefined,
});

function failed(error: unknown, run: Run, path: Path, type: GraphQLOutputType, nodes: Selected['nodes']): null {
  const located = locatedError(error, nodes, keysOf(path));
  if (isNonNullType(type) && run.onError === 'PROPAGATE') throw located;
  run.note(located, path);
  return null;
}

/** The type of an object of an interface or union, from its resolver or the object itself. */
function typeOf(
  schema: GraphQLSchema,
  value: unknown,
  run: Run,
  type: GraphQLOutputType,
  info: GraphQLResolveInfo,
): GraphQLObjectType | Promise<GraphQLObjectType> {
  if (!isAbstractType(type)) throw new Unplannable();
  const known = (name: string | undefined): GraphQLObjectType => {
    const found = name === undefined ? undefined : schema.getType(name);
    if (isObjectType(found) && schema.isSubType(type, found)) return found;
    throw new GraphQLError(`Abstract type "${type.name}" must resolve to one of its types, not to ${name}.`);
  };
  const name = (type.resolveType ?? defaultTypeResolver)(value, run.context, info, type);
  const pending = promiseOf(name);
  return pending ? pending.then((settled) => known(settled as string | undefined)) : known(name as string | undefined);
}

/** Whether the arguments of a selection depend on variables. */
function usesVariables({ arguments: given = [] }: FieldNode): boolean {
  let found = false;
  for (const argument of given) {
    visit(argument, {
      Variable() {
        found = true;
      },
    });
  }
  return found;
}

/** The response, unless the signal is aborted first. Pending work is left alone. */
function untilAborted(answer: Promise<ExecutionResult>, signal: AbortSignal): Promise<ExecutionResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}
