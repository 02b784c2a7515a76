import type { ExecutionArgs, GraphQLSchema } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import type { Documents, Wanted } from '#schema/documents.ts';
import type { LongDocuments } from '#schema/long_documents.ts';
import type { PersistedDocuments } from '#schema/persisted_documents.ts';
import { callerOf } from '#src/access/permissions/caller.ts';

/** A client's request to execute an operation. */
export interface Sent extends Wanted {
  readonly query: string;
  /** May have the hash of a persisted document; `query` is then empty. */
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Throws a GraphQLError, or Invalid. */
export type Prepare = (
  sent: Sent,
  context: GraphQLContext,
) => Promise<{ args: ExecutionArgs; isSubscription: boolean }>;

/** Prepares operations of other transports than HTTP, within the same limits. */
export function preparing(
  schema: GraphQLSchema,
  documents: Documents,
  persisted: PersistedDocuments,
  long: LongDocuments,
): Prepare {
  return async (sent, context) => {
    const { query, extensions, operationName = null, variables } = sent;
    const text = persisted.textOf({ ...(query && { query }), ...(extensions && { extensions }) }) ?? '';
    const prepare = async () => {
      const { document, operation, measure } = documents.prepare(text, sent);
      const contextValue = { ...context, measure, params: { extensions } };
      const args = { schema, document, operationName, variableValues: variables ?? {}, contextValue };
      return { args, isSubscription: operation.operation === 'subscription' };
    };
    if (!long.isLong(text)) return prepare();
    return long.inTurn(callerOf(context.actor, context.clientAddress), prepare);
  };
}
