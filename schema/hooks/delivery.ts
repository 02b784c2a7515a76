import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { toGlobalId } from '#schema/node/types.ts';
import { viaRelation } from '#schema/records/plugin.ts';

const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'How far a delivery is.',
  values: {
    WAITING: { value: 'waiting', description: 'It is still to be sent, or to be sent again.' },
    DELIVERED: { value: 'delivered', description: 'The receiver answered with a status of 200 to 299.' },
    FAILED: { value: 'failed', description: 'It failed, and is not tried again.' },
  } as const,
});

type State = 'waiting' | 'delivered' | 'failed';

/** Later names of events in the log of a hook; events of the server have their own names. */
const TRIGGERS: Record<string, string> = {
  push: 'push_hooks',
  tag_push: 'tag_push_hooks',
  issue: 'issue_hooks',
  confidential_issue: 'confidential_issue_hooks',
  note: 'note_hooks',
  confidential_note: 'confidential_note_hooks',
  merge_request: 'merge_request_hooks',
  job: 'job_hooks',
  pipeline: 'pipeline_hooks',
};

export const WebhookDelivery = builder.prismaObject('HookDelivery', {
  variant: 'WebhookDelivery',
  description: 'An event that a webhook is told of: what was sent, and what the receiver answered to the last attempt.',
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the delivery.',
      resolve: ({ id }) => toGlobalId('WebhookDelivery', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the delivery, as the REST API uses it.' }),
    eventId: t.string({
      description: 'ID of the event (a UUID): the header `webhook-id`, which is the same each time the event is sent.',
      ...viaRelation('event', 'key'),
    }),
    trigger: t.string({
      description:
        'Kind of the event, such as `push_hooks` or `issue_hooks`, or `project_create` for events of the server.',
      select: { event: { select: { kind: true } } },
      resolve: ({ event: { kind } }) => TRIGGERS[kind] ?? kind,
    }),
    url: t.string({ description: 'The URL of the webhook, as it is now.', ...viaRelation('hook', 'url') }),
    state: t.field({
      type: WebhookDeliveryState,
      description: 'How far the delivery is.',
      select: { state: true },
      resolve: ({ state }) => state as State,
    }),
    attempts: t.exposeInt('attempts', { description: 'How often the event was sent to the webhook.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event happened.' }),
    attemptedAt: t.expose('attemptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last sent; null if it has not been sent yet.',
    }),
    requestHeaders: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Headers of the last request by their names, without the token; null if there was none.',
      select: { requestHeaders: true },
      resolve: ({ requestHeaders }) => requestHeaders,
    }),
    requestBody: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The payload of the event, of which a template of the webhook makes what is sent; null if it has not been sent yet.',
      select: { event: { select: { payload: true } } },
      resolve: ({ event: { payload } }) => (payload === null ? null : JSON.parse(payload)),
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'HTTP status of the last response; null if there was none.',
    }),
    responseHeaders: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Headers of the last response by their names; null if there was none.',
      select: { responseHeaders: true },
      resolve: ({ responseHeaders }) => responseHeaders,
    }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'The last response, as text of at most 64 KiB; null if there was none.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why there was no response, or why it is not sent any more; null if neither is the case.',
    }),
    duration: t.float({
      nullable: true,
      description: 'How long the last attempt took, in seconds; null if there was none.',
      select: { duration: true },
      resolve: ({ duration }) => (duration === null ? null : duration / 1000),
    }),
  }),
});

export const WebhookDeliveryConnection = connectionOf('WebhookDelivery', WebhookDelivery);
