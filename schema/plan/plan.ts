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
import { keysOf, type Path, Run } from '#schema/plan/run.ts';
import { readerOf, readsOf } from '#schema/records/plugin.ts';

/**
 * An operation of a valid document, worked out once: what graphql-js finds out for each value of each answer (which fields are
 * selected, of which type they are, how they are completed) is found out before the first. Answers equal those of graphql-js
 * in data and errors (test/schema/plan.test.ts).
 */
export class Plan {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: Fragments;
  readonly #isMutation: boolean;
  readonly #root: Compose;

  /** Null for what plans do not answer: introspection, subscriptions. */
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
   * @throws the reason of the signal when that is aborted before the answer is complete
   */
  async execute(
    given: Readonly<Record<string, unknown>>,
    context: unknown,
    signal: AbortSignal = NEVER,
  ): Promise<ExecutionResult> {
    signal.throwIfAborted();
    const { variableValues, errors } = getVariableValues(
      this.#schema,
      this.#operation.variableDefinitions ?? [],
      given,
      { maxErrors: 50 },
    );
    if (!variableValues) return { errors: errors ?? [] };
    const run = new Run(variableValues, context, signal);
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

  /** What puts together the selected fields of objects of a type; one after the other for mutations. */
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
        // By index: this runs for each object of each answer, and iterators would take a quarter more.
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
        const completed =
          value instanceof Promise
            ? value.then((settled) => {
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

  /** What reads the value of a field from its object. */
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

  /** What resolvers are told of the field and of the operation. */
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
        // Worked out at its first use where a type holds itself.
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

/** Something of which a plan does not know how it is answered. */
class Unplannable extends Error {}

type Answer = Record<string, unknown>;
/** Puts together what is selected of an object; of the whole answer the path is undefined. */
type Compose = (source: unknown, run: Run, path: Path | undefined) => unknown;
type Read = (source: unknown, run: Run, path: Path) => unknown;

interface Field {
  name: string;
  wanted: Selected['wanted'];
  resolve: Compose;
}

/**
 * An answer before its fields are known. Objects without a prototype take longer to fill and to write; one is needed only where
 * a field would otherwise be the prototype.
 */
function emptyAnswer(fields: readonly Field[]): () => Answer {
  return fields.some(({ name }) => name === '__proto__') ? () => Object.create(null) : () => ({});
}

/** A field of an answer whose value is not there yet. */
interface Waiting {
  name: string;
  value: Promise<unknown>;
}

/** An answer, once the last of its values is there. */
async function settled(answer: Answer, waiting: Waiting[]): Promise<Answer> {
  const values = await Promise.all(waiting.map(({ value }) => value));
  for (const [index, { name }] of waiting.entries()) answer[name] = values[index];
  return answer;
}

/** Where the value of a field lies in its record, if its resolver does no more than to read it there. */
function pathOf(field: GraphQLField<unknown, unknown>): readonly string[] | undefined {
  const { path, isGuarded = false } = readsOf(field) ?? {};
  return (!isGuarded && path) || undefined;
}

/** The property of its object that the resolver of a field reads, if it does no more. */
function exposedBy(field: GraphQLField<unknown, unknown>): string | undefined {
  if (readsOf(field)?.isGuarded) return undefined;
  const property = field.extensions.pothosExposedField;
  return typeof property === 'string' ? property : undefined;
}

/**
 * As `resolve`, for the most frequent values: texts, numbers and booleans that lie in the record. What to say of a value that is
 * wrong, and of which place, is left to `resolve`.
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
      // `resolve` fails too, and says where.
    }
    return resolve(source, run, prev);
  };
}

const NEVER = new AbortController().signal;
const NO_VARIABLES = { sources: {}, coerced: {} };

/** Nobody here waits for work that resolvers leave behind. */
const noHelpers: GraphQLResolveInfo['getAsyncHelpers'] = () => ({
  promiseAll: (values) => Promise.all(values),
  track: () => undefined,
});

function failed(error: unknown, run: Run, path: Path, type: GraphQLOutputType, nodes: Selected['nodes']): null {
  const located = locatedError(error, nodes, keysOf(path));
  if (isNonNullType(type)) throw located;
  run.note(located, path);
  return null;
}

/** The type of an object of an interface or union, as its resolver tells or the object itself. */
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
  return name instanceof Promise ? name.then(known) : known(name as string | undefined);
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

/** The response, unless the signal is aborted before. What goes on behind it is left alone. */
function untilAborted(answer: Promise<ExecutionResult>, signal: AbortSignal): Promise<ExecutionResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}
