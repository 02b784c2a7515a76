import { Counter, Gauge } from 'prom-client';
import { registry } from '#src/platform/observability/metrics/registry.ts';

const registers = [registry];

/** How a client is connected that subscribes. */
export type Transport = 'sse' | 'websocket';

export const subscriptions = new Gauge({
  name: 'gantry_graphql_subscriptions',
  help: 'GraphQL subscriptions that are open, by transport.',
  labelNames: ['transport'],
  registers,
});

export const subscriptionMessages = new Counter({
  name: 'gantry_graphql_subscription_messages_total',
  help: 'Answers that were sent to subscribers, by transport.',
  labelNames: ['transport'],
  registers,
});

export const subscriptionsEnded = new Counter({
  name: 'gantry_graphql_subscriptions_ended_total',
  help: 'Subscriptions that ended, by transport and reason: by the client, completed, slow, stopping, or the code of an error.',
  labelNames: ['transport', 'reason'],
  registers,
});

export const webSockets = new Gauge({
  name: 'gantry_graphql_websockets',
  help: 'WebSocket connections that are open.',
  registers,
});

/**
 * Counts a subscription as open.
 *
 * @returns counts it as ended, for a reason; once however often it is called
 */
export function countSubscription(transport: Transport): (reason: string) => void {
  subscriptions.inc({ transport });
  let isOpen = true;
  return (reason) => {
    if (!isOpen) return;
    isOpen = false;
    subscriptions.dec({ transport });
    subscriptionsEnded.inc({ transport, reason });
  };
}
