import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import type { LongDocuments } from '#schema/long_documents.ts';
import { callerOf } from '#src/access/permissions/caller.ts';

/** An operation that was parsed, measured and found valid. */
export interface Prepared {
  args: ExecutionArgs;
  isSubscription: boolean;
  /** Executes a query or mutation, when it is the caller's turn. */
  execute(): Promise<ExecutionResult>;
}

/** What a client sends to have something executed. */
export interface Sent {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** Also the hash of a persisted document, whose `query` is empty then. */
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Throws a GraphQLError, or several. */
export type Prepare = (sent: Sent, context: GraphQLContext) => Promise<Prepared>;

/** Several errors about one document. */
export class Invalid extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
  }
}

/** What prepares operations: a server of yoga, with its plugins. */
export interface Enveloping {
  getEnveloped(context: object): {
    parse(text: string): ExecutionArgs['document'];
    validate(schema: ExecutionArgs['schema'], document: ExecutionArgs['document']): readonly GraphQLError[];
    contextFactory(context?: object): unknown;
    execute(args: ExecutionArgs): unknown;
    schema: ExecutionArgs['schema'];
  };
}

/**
 * Prepares operations that come by another way than HTTP, within the same limits.
 *
 * @param textOf the document that is to be executed, which may be a persisted one
 */
export function prepareWith(
  enveloping: Enveloping,
  textOf: (params: { query?: string; extensions?: Record<string, unknown> }) => string | undefined,
  long: LongDocuments,
): Prepare {
  const prepare = async (
    query: string,
    { operationName, variables }: Sent,
    context: GraphQLContext,
  ): Promise<Prepared> => {
    const params = { query, operationName: operationName ?? undefined, variables: variables ?? undefined };
    const { parse, validate, contextFactory, execute, schema } = enveloping.getEnveloped({ params, given: context });
    const document = parse(query);
    const errors = validate(schema, document);
    if (errors.length > 0) throw new Invalid(errors);
    const operation = getOperationAST(document, operationName);
    if (!operation)
      throw new GraphQLError('The document has no operation with that name, or has several and none was named.');
    const contextValue = await contextFactory();
    const args = {
      schema,
      document,
      operationName: operationName ?? null,
      variableValues: variables ?? {},
      contextValue,
    };
    return {
      args,
      isSubscription: operation.operation === 'subscription',
      execute: async () => (await execute(args)) as ExecutionResult,
    };
  };
  return async (sent, context) => {
    const named = { ...(sent.query && { query: sent.query }), ...(sent.extensions && { extensions: sent.extensions }) };
    const query = textOf(named) ?? '';
    if (!long.isLong(query)) return prepare(query, sent, context);
    return long.inTurn(callerOf(context.actor, context.clientAddress), () => prepare(query, sent, context));
  };
}
