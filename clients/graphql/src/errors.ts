import type { GraphQLFormattedError } from 'graphql';

/** What programs read of an error (docs/graphql.md, Errors). */
export interface GantryErrorExtensions {
  /** What went wrong, as `NOT_FOUND`. */
  code: string;
  /** Messages by the path of the argument: `{"input.title": ["can't be blank"]}`. */
  fields?: Record<string, string[]>;
  /** What was looked for, of NOT_FOUND. */
  resource?: string;
  /** The current full path of a record that was moved. */
  movedTo?: string;
  /** The scopes that are accepted, separated by spaces, of INSUFFICIENT_SCOPE. */
  scope?: string;
  /** Seconds after which to try again. */
  retryAfter?: number;
  /** Whether the mutation made its change nevertheless: the error is one of what was selected of it. */
  committed?: boolean;
}

/** An error of the server, as it sent it. */
export interface GantryGraphQLError extends Omit<GraphQLFormattedError, 'extensions'> {
  readonly extensions: GantryErrorExtensions;
}

/** Thrown for an answer with errors. What the server answered beside them is in `data`. */
export class GantryError extends Error {
  override readonly name = 'GantryError';
  /** All errors of the answer; empty where it was not one of GraphQL, as that of a proxy. */
  readonly errors: readonly GantryGraphQLError[];
  /**
   * All that could be answered, with null in the place of each error, also where the schema has a type that is never null; null where
   * nothing could be.
   */
  readonly data: unknown;
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(status: number, errors: readonly GantryGraphQLError[], data: unknown = null) {
    const [first, ...others] = errors;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    super(first ? first.message + more : `The server answered with status ${status}.`);
    this.status = status;
    this.errors = errors;
    this.data = data;
  }

  /** The code of the first error, as `NOT_FOUND`; undefined where the answer was not one of GraphQL. */
  get code(): string | undefined {
    return this.errors[0]?.extensions?.code;
  }
}
