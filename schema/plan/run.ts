import { type FieldNode, type GraphQLError, type GraphQLField, getArgumentValues, type VariableValues } from 'graphql';

/** The path of a value in the response. */
export interface Path {
  readonly prev: Path | undefined;
  readonly key: string | number;
  /** Type of the object that has the field; undefined for items of lists. */
  readonly typename: string | undefined;
}

/** A selection of a field of a type in a document. */
export interface FieldSelection {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

/**
 * What an error does to the values around it (`onError` of the proposal for the GraphQL specification): with PROPAGATE it reaches up to
 * the next place that may be null; with NULL its own place is null, whatever the schema says.
 */
export type ErrorBehavior = 'PROPAGATE' | 'NULL';

/** One execution of a plan. */
export class Run {
  readonly variables: VariableValues;
  readonly context: unknown;
  readonly signal: AbortSignal;
  readonly getSignal: () => AbortSignal;
  readonly onError: ErrorBehavior;
  readonly errors: GraphQLError[] = [];
  /** Paths that an error has set to null. */
  readonly #nulled = new Set<Path | undefined>();
  readonly #args = new Map<FieldSelection, Record<string, unknown>>();

  constructor(variables: VariableValues, context: unknown, signal: AbortSignal, onError: ErrorBehavior) {
    this.variables = variables;
    this.context = context;
    this.signal = signal;
    this.onError = onError;
    const getSignal = () => signal;
    this.getSignal = getSignal;
  }

  /** The arguments of a field, which are the same for all objects at this place. Throws GraphQLError. */
  args(place: FieldSelection): Record<string, unknown> {
    const known = this.#args.get(place) ?? getArgumentValues(place.field, place.node, this.variables);
    this.#args.set(place, known);
    return known;
  }

  /** Records an error, unless another error has already removed its path from the response. `undefined` is the root. */
  note(error: GraphQLError, path: Path | undefined): void {
    for (let at = path; at !== undefined; at = at.prev) if (this.#nulled.has(at)) return;
    if (this.#nulled.has(undefined)) return;
    this.#nulled.add(path);
    this.errors.push(error);
  }
}

/** The keys of a path, as in errors. */
export function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.prev) keys.unshift(at.key);
  return keys;
}
