import { createSourceEventStream, type ExecutionArgs, GraphQLError, validateSubscriptionArgs } from 'graphql';
import { contextFor, type GraphQLContext } from '#schema/context.ts';
import { maskError } from '#schema/errors.ts';
import { liveOperation, type Reads } from '#schema/subscriptions/operation.ts';
import { Source } from '#schema/subscriptions/source.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { SubscriptionHub } from '#src/domain/live/hub.ts';
import type { LiveCaller, Sink } from '#src/domain/live/subscriber.ts';
import { DomainError, Unavailable } from '#src/platform/errors.ts';
import { Budget, within } from '#src/platform/limits/budget.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** What serving subscriptions needs. */
export interface Subscribing extends Reads {
  /** Null if this process receives no changes. */
  hub: SubscriptionHub | null;
  quota: CallerSemaphore;
}

/** An admitted subscription: it holds a slot, which `release` frees. */
export interface Admitted {
  /** Starts sending, and returns a function that ends the subscription. Throws DomainErrors. */
  start(sink: Sink): Promise<() => void>;
  release(): void;
}

/**
 * Checks whether the caller may subscribe to what a valid document selects, and takes a slot.
 *
 * @param after where a lost subscription resumes, if the client says so outside of the document
 * @throws GraphQLError
 */
export async function admit(
  args: ExecutionArgs,
  caller: LiveCaller,
  address: string | null,
  subscribing: Subscribing,
  after?: string,
): Promise<Admitted> {
  const { hub, quota, report, budget } = subscribing;
  try {
    if (!hub)
      throw new GraphQLError('This server does not offer subscriptions.', { extensions: { code: 'UNAVAILABLE' } });
    const operation = liveOperation(args, subscribing);
    const release = quota.takeNow(callerOf(caller.actor, address), { bytes: operation.size });
    try {
      using spending = new Budget(budget, { isForeign: true });
      const { topic, after: given } = await within(spending, () => sourceOf(args));
      const wanted = { topic, caller, operation, after: after ?? given };
      return { start: hub.prepare(wanted), release };
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    throw maskError(error, report);
  }
}

/** The source that the document subscribes to. Throws the first error. */
async function sourceOf(args: ExecutionArgs): Promise<Source> {
  const contextValue = contextFor(args.contextValue as GraphQLContext, 'read');
  const valid = validateSubscriptionArgs({ ...args, contextValue });
  if (!('schema' in valid)) throw valid[0];
  const stream = await createSourceEventStream(valid);
  if (stream instanceof Source) return stream;
  throw ('errors' in stream && stream.errors?.[0]) || new Error('A field of Subscription has no source');
}

/** The error as shown to a subscriber. */
export function asDomainError(error: unknown, report: (error: unknown) => void): DomainError {
  if (error instanceof DomainError) return error;
  report(error);
  return new Unavailable('The subscription could not begin. Try again.');
}
