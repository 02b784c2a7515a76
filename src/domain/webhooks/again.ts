import type { Context } from '#src/access/permissions/actor.ts';
import { countUses } from '#src/access/sign_in/attempts.ts';
import { findIntegrationHook, type PlaceRef } from '#src/domain/integrations/find.ts';
import { attempt } from '#src/domain/webhooks/deliver.ts';
import { findHook, type HookPlace, type HookRef } from '#src/domain/webhooks/list.ts';
import { findDelivery } from '#src/domain/webhooks/outbox.ts';
import { sampleEvent, type TestTrigger } from '#src/domain/webhooks/sample.ts';
import { settleAgain } from '#src/domain/webhooks/settle.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import { NotFound } from '#src/platform/errors.ts';

/** How often a user may test or redeliver, in a window of so many seconds. */
const USES = 10;
const WINDOW = 60;

/** The server as its clients see it. */
interface Server {
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  /** SSH address of the server; null if SSH is off. */
  ssh: SshPlace;
}

/** Names an integration by its place and its kind. */
export type IntegrationRef = PlaceRef & { slug: string };

/** A delivery that was made immediately. */
export interface Delivered {
  hookId: number;
  deliveryId: number;
}

/**
 * Sends an event of this kind to a hook immediately, outside of its queue: about the latest record of the kind. It is logged as a
 * delivery, and not retried. Throws NotFound, Forbidden, RateLimited, and BadRequest if there is no such record.
 */
export async function testHook(
  context: Context,
  server: Server,
  ref: HookRef,
  trigger: TestTrigger,
): Promise<Delivered> {
  return sendTest(context, server, await findHook(context, ref), trigger);
}

/** Like testHook, for an integration that the place has itself. Throws NotFound, also if it is not told of events. */
export async function testIntegration(
  context: Context,
  server: Server,
  { slug, ...ref }: IntegrationRef,
  trigger: TestTrigger,
): Promise<Delivered> {
  return sendTest(context, server, await findIntegrationHook(context, ref, slug), trigger);
}

async function sendTest(
  context: Context,
  server: Server,
  hook: HookPlace & { isOfIntegration?: boolean },
  trigger: TestTrigger,
): Promise<Delivered> {
  await countUse(context);
  const { kind, projectId, facts } = await sampleEvent(context, hook, trigger);
  const delivery = { create: { hookId: hook.id, state: 'failed' } };
  const { deliveries } = await context.db.hookEvent.create({
    data: { kind, projectId, facts: facts as object, deliveries: delivery },
    select: { deliveries: { select: { id: true } } },
  });
  const deliveryId = deliveries[0]?.id ?? 0;
  return deliver(context, { ...server, isOwnEvent: true }, hook, deliveryId);
}

/**
 * Sends the event of a delivery again immediately, outside of the queue of its hook and with the same ID. The outcome replaces
 * the previous one. Throws NotFound, Forbidden, RateLimited.
 */
export async function redeliver(
  context: Context,
  server: Server,
  ref: HookRef,
  deliveryId: number,
): Promise<Delivered> {
  return sendAgain(context, server, await findHook(context, ref), deliveryId);
}

/** Like redeliver, for an integration that the place has itself. */
export async function redeliverIntegration(
  context: Context,
  server: Server,
  { slug, ...ref }: IntegrationRef,
  deliveryId: number,
): Promise<Delivered> {
  return sendAgain(context, server, await findIntegrationHook(context, ref, slug), deliveryId);
}

async function sendAgain(context: Context, server: Server, hook: HookPlace, deliveryId: number): Promise<Delivered> {
  if ((await context.db.hookDelivery.count({ where: { id: deliveryId, hookId: hook.id } })) === 0) {
    throw new NotFound('Hook event');
  }
  await countUse(context);
  return deliver(context, { ...server, isOwnEvent: false }, hook, deliveryId);
}

function countUse({ db, actor }: Context): Promise<void> {
  return countUses(db, WINDOW, { [`hook tests ${actor?.id}`]: USES });
}

async function deliver(
  { db, repositories, secret, imports, jobs }: Context,
  { baseUrl, ssh, isOwnEvent }: Server & { isOwnEvent: boolean },
  { id: hookId }: HookPlace,
  deliveryId: number,
): Promise<Delivered> {
  const found = await findDelivery(db, hookId, deliveryId);
  if (!found) throw new NotFound('Hook event');
  let broken: unknown;
  const stores = {
    db,
    repositories,
    secret,
    imports,
    jobs,
    baseUrl: async () => baseUrl,
    sshAddress: () => ssh,
    isOnlyHere: !isOwnEvent,
  };
  const report = (error: unknown) => {
    broken = error;
  };
  const { headers, outcome } = await attempt({ ...stores, report }, found);
  if (broken) throw broken;
  const told = outcome.isEmpty
    ? { ...outcome, error: 'There is nothing to tell of this event with these settings.' }
    : outcome;
  await settleAgain(db, { hookId, deliveryId, headers, outcome: told });
  return { hookId, deliveryId };
}
