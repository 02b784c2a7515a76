import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { type Measure, measure } from '#schema/measure.ts';
import { repeatsTooMuch } from '#schema/repeats.ts';

/** Limits of one request. */
export interface Limits {
  /** Lexical tokens of a document. */
  tokens: number;
  /** Levels of fields below the operation. */
  depth: number;
  /** Fields of an operation, each multiplied by the sizes of the lists around it (costs.ts). */
  cost: number;
  /** Records that all lists of an operation can have together. */
  records: number;
  /** Aliases in total, counting those in fragments once per spread. */
  aliases: number;
  /** Fragment spreads in total, counted likewise. */
  spreads: number;
  /** Operations that one request may contain. */
  batch: number;
  /** Bytes of a request without uploads. */
  bytes: number;
  /** Points that a user can spend in an hour, in each process (usage/rate_limit.ts). */
  points: number;
  /** Those of callers without an account, by network. */
  visitorPoints: number;
}

export const DEFAULT_LIMITS: Limits = {
  tokens: 5000,
  depth: 12,
  cost: 25_000,
  records: 50_000,
  aliases: 200,
  spreads: 500,
  batch: 10,
  bytes: 256 * 1024,
  points: 500_000,
  visitorPoints: 100_000,
};

/** How GraphQL over HTTP answers requests that are not executed: 400, and 200 to clients that accept plain JSON. */
export const REFUSED = { spec: true, status: 400 };

/** Operations of one document, of which one runs but all are checked. */
const MAX_OPERATIONS = 50;

/** What is counted of each operation, in the order in which it is refused. */
const COUNTS = ['depth', 'aliases', 'spreads', 'cost', 'records'] as const;

/** The standard introspection query has fifteen levels below `__schema`. */
const INTROSPECTION_DEPTH = 20;

/**
 * Parses a document within the limit of tokens.
 *
 * @throws GraphQLError for syntax errors, or a document that is too long or nested too deeply
 */
export function parseWithin(text: string, { tokens }: Pick<Limits, 'tokens'>): DocumentNode {
  try {
    return parse(text, { maxTokens: tokens });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge('The document is nested too deeply.', { kind: 'depth' });
    if (error instanceof GraphQLError && /more than \d+ tokens/.test(error.message)) {
      throw tooLarge(`The document has more than ${tokens} tokens.`, { kind: 'tokens', limit: tokens });
    }
    if (error instanceof GraphQLError) Object.assign(error.extensions, { code: 'GRAPHQL_PARSE_FAILED', http: REFUSED });
    throw error;
  }
}

/** Checks operations against the limits. */
export class Limiter {
  readonly #schema: GraphQLSchema;
  readonly #limits: Limits;
  /** Maximum cost of an introspection: twice that of the standard query. */
  readonly #introspectionCost: number;

  constructor(schema: GraphQLSchema, limits: Limits) {
    this.#schema = schema;
    this.#limits = limits;
    const standard = parse(getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true }));
    const [operation] = operationsOf(standard);
    this.#introspectionCost = operation ? 2 * measure(operation, standard, schema, {}).introspectionCost : 0;
  }

  /**
   * Checks all operations of a document, and returns the measure of the one to run.
   *
   * @param operationName as requested
   * @param variables as requested
   * @throws GraphQLError that names the limit
   */
  check(document: DocumentNode, operationName: string | undefined, variables: Record<string, unknown>): Measure | null {
    let running: Measure | null = null;
    const operations = operationsOf(document);
    if (operations.length > MAX_OPERATIONS) {
      const exceeded = { kind: 'operations', limit: MAX_OPERATIONS, used: operations.length };
      throw tooLarge(`The document has more than ${MAX_OPERATIONS} operations.`, exceeded);
    }
    for (const operation of operations) {
      const runs = operationName === undefined || operation.name?.value === operationName;
      const measured = measure(operation, document, this.#schema, runs ? variables : {});
      this.#require(operation, measured);
      if (runs) running = measured;
    }
    return running;
  }

  /**
   * Checks repeated fields, which are slow to validate; needed once per document within the other limits, of which no fragment is
   * within itself.
   *
   * @throws GraphQLError
   */
  checkRepeats(document: DocumentNode): void {
    for (const operation of operationsOf(document)) {
      if (!repeatsTooMuch(operation, document)) continue;
      throw tooLarge(
        'The operation has too many fields, or too many of one name in one place.',
        { kind: 'repeats' },
        operation,
      );
    }
  }

  /** For `extensions.cost`: each count with its limit. */
  report(measured: Measure): Record<string, { used: number; limit: number }> {
    return Object.fromEntries(COUNTS.map((name) => [name, { used: measured[name], limit: this.#limits[name] }]));
  }

  #require(operation: OperationDefinitionNode, measured: Measure): void {
    const { introspections, introspectionDepth, introspectionCost } = measured;
    for (const name of COUNTS) {
      const [used, limit] = [measured[name], this.#limits[name]];
      if (used <= limit) continue;
      const message =
        name === 'records'
          ? `The operation's lists can have ${used} records together; at most ${limit} are allowed.`
          : `The operation's ${name} is ${used}; at most ${limit} is allowed.`;
      throw tooLarge(message, { kind: name, limit, used }, operation);
    }
    if (introspections > 1) {
      const exceeded = { kind: 'introspections', limit: 1, used: introspections };
      throw tooLarge('An operation may have one introspection (__schema or __type).', exceeded, operation);
    }
    const message = 'The introspection asks for more than twice what the standard introspection query does.';
    for (const [kind, used, limit] of [
      ['introspectionDepth', introspectionDepth, INTROSPECTION_DEPTH],
      ['introspectionCost', introspectionCost, this.#introspectionCost],
    ] as const) {
      if (used > limit) throw tooLarge(message, { kind, limit, used }, operation);
    }
  }
}

function operationsOf({ definitions }: DocumentNode): OperationDefinitionNode[] {
  return definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
}

/** Which limit a request exceeds, the limit itself, and what the request would have used where that is known. */
interface Exceeded {
  kind: string;
  limit?: number;
  used?: number;
}

/** The error for a request that exceeds a limit. */
export function tooLarge(message: string, exceeded: Exceeded, nodes?: ASTNode | readonly ASTNode[]): GraphQLError {
  const extensions = { code: 'QUERY_TOO_LARGE', ...exceeded, http: REFUSED };
  return new GraphQLError(message, { nodes: nodes ?? null, extensions });
}
