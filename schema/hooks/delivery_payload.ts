import { WebhookDelivery } from '#schema/hooks/delivery.ts';
import type { Payload } from '#schema/mutation.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Delivered } from '#src/domain/webhooks/again.ts';
import { readDelivery } from '#src/domain/webhooks/deliveries.ts';
import { select } from '#src/platform/records/selection.ts';

const OUTCOME = select('HookDelivery', { state: true, responseStatus: true, error: true });
const SENT = select('HookDelivery', { event: { payload: true } });

/** The payload of mutations that send an event immediately. */
export const deliveryPayload: Payload<Delivered> = {
  description: 'The delivery that was made.',
  fields: (t) => ({
    delivery: t.field({
      type: WebhookDelivery,
      description: 'The delivery, with the response of the receiver.',
      resolve: ({ hookId, deliveryId: id }, _args, context, info) =>
        readDelivery(context, { hookId, id }, selectionAt(info, 'HookDelivery')),
    }),
    payload: t.field({
      type: 'JSON',
      description: 'The payload that was sent.',
      resolve: async ({ hookId, deliveryId: id }, _args, context) => {
        const { event } = await readDelivery(context, { hookId, id }, SENT);
        return JSON.parse(event.payload ?? 'null');
      },
    }),
    succeeded: t.boolean({
      description: 'Whether the receiver answered with a status of 200 to 299.',
      resolve: async ({ hookId, deliveryId: id }, _args, context) =>
        (await readDelivery(context, { hookId, id }, OUTCOME)).state === 'delivered',
    }),
    message: t.string({
      description: 'How it went, in words: the status with which the receiver answered, or why nothing came back.',
      resolve: async ({ hookId, deliveryId: id }, _args, context) => {
        const { responseStatus, error } = await readDelivery(context, { hookId, id }, OUTCOME);
        return responseStatus === null ? (error ?? '') : `The receiver answered with status ${responseStatus}.`;
      },
    }),
  }),
};
