import { type FieldNode, type GraphQLError, type GraphQLField, getArgumentValues, type VariableValues } from 'graphql';

/** Where a value stands in the answer. */
export interface Path {
  readonly prev: Path | undefined;
  readonly key: string | number;
  /** Type of the object of which it is a field; undefined for items of lists. */
  readonly typename: string | undefined;
}

/** Where a document selects a field of a type. */
export interface FieldSelection {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

/** One execution of a plan. */
export class Run {
  readonly variables: VariableValues;
  readonly context: unknown;
  readonly signal: AbortSignal;
  readonly getSignal: () => AbortSignal;
  readonly errors: GraphQLError[] = [];
  /** Where an error has put null. */
  readonly #nulled = new Set<Path | undefined>();
  readonly #args = new Map<FieldSelection, Record<string, unknown>>();

  constructor(variables: VariableValues, context: unknown, signal: AbortSignal) {
    this.variables = variables;
    this.context = context;
    this.signal = signal;
    const getSignal = () => signal;
    this.getSignal = getSignal;
  }

  /** The arguments of a field, which are the same for all objects that have it there. Throws GraphQLError. */
  args(place: FieldSelection): Record<string, unknown> {
    const known = this.#args.get(place) ?? getArgumentValues(place.field, place.node, this.variables);
    this.#args.set(place, known);
    return known;
  }

  /** Notes an error, unless its place is gone from the answer by another one already. `undefined` is the whole answer. */
  note(error: GraphQLError, path: Path | undefined): void {
    for (let at = path; at !== undefined; at = at.prev) if (this.#nulled.has(at)) return;
    if (this.#nulled.has(undefined)) return;
    this.#nulled.add(path);
    this.errors.push(error);
  }
}

/** The keys that lead to a value, as errors name them. */
export function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.prev) keys.unshift(at.key);
  return keys;
}
