import { createHash } from 'node:crypto';
import { type DocumentNode, type ExecutionArgs, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GraphQLContext } from '#schema/context.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { tooLarge } from '#schema/limits.ts';
import type { LiveEvent } from '#schema/subscriptions/source.ts';
import type { LiveCaller, LiveOperation, Reading } from '#src/domain/live/subscriber.ts';
import type { BudgetLimits } from '#src/platform/limits/budget.ts';

export interface Reads {
  contextFor(caller: LiveCaller): Promise<GraphQLContext>;
  report(error: unknown): void;
  budget?: BudgetLimits | undefined;
}

/** Bytes of a subscription's document and variables, which are kept as long as it is open. */
export const MAX_SUBSCRIPTION_BYTES = 8 * 1024;

/** Characters of the documents that are cached parsed: parsed ones take up to a hundred times as much. */
const parsed = new LRUCache<string, DocumentNode>({
  maxSize: 128 * 1024,
  sizeCalculation: (_document, text) => text.length + 1,
});

/**
 * The operation to execute for each change, of a valid document. Texts are kept rather than parsed documents.
 *
 * @throws GraphQLError if they are too long
 */
export function liveOperation(
  args: ExecutionArgs,
  { contextFor, report, budget }: Reads,
): LiveOperation & { size: number } {
  const text = args.document.loc?.source.body ?? '';
  const variables = JSON.stringify(args.variableValues ?? {});
  const size = Buffer.byteLength(text) + Buffer.byteLength(variables);
  if (size > MAX_SUBSCRIPTION_BYTES) {
    const message = `The document and variables of a subscription have ${MAX_SUBSCRIPTION_BYTES} bytes at most.`;
    throw tooLarge(message, { kind: 'bytes', limit: MAX_SUBSCRIPTION_BYTES, used: size });
  }
  const operationName = args.operationName ?? null;
  return {
    size,
    key: createHash('sha1')
      .update(JSON.stringify([text, variables, operationName]))
      .digest('base64'),
    async read(caller, change) {
      const event: LiveEvent = { change, isHidden: false };
      const contextValue = await contextFor(caller);
      const execution = { schema, document: documentOf(text), operationName, rootValue: event, contextValue };
      const result = await executeWithin({ ...execution, variableValues: JSON.parse(variables) }, report, budget);
      return event.isHidden ? null : readingOf(event, result);
    },
  };
}

function readingOf({ change, next, hasMore, isOver }: LiveEvent, result: object): Reading {
  const isEmpty = next !== undefined && next === change.position;
  return { json: isEmpty ? '' : JSON.stringify(result), next, hasMore, isOver };
}

function documentOf(text: string): DocumentNode {
  const known = parsed.get(text) ?? parse(text);
  parsed.set(text, known);
  return known;
}
