import { builder } from '#schema/builder.ts';
import { WebhookDelivery } from '#schema/hooks/delivery.ts';
import * as inputs from '#schema/hooks/inputs.ts';
import { Webhook } from '#schema/hooks/types.ts';
import { namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { type Delivered, redeliver, testHook } from '#src/domain/webhooks/again.ts';
import { readDelivery } from '#src/domain/webhooks/deliveries.ts';
import { findHook } from '#src/domain/webhooks/list.ts';
import {
  createGroupHook,
  createProjectHook,
  createSystemHook,
  deleteHook,
  enableHook,
  type SavedHook,
  updateHook,
} from '#src/domain/webhooks/save.ts';
import { select } from '#src/platform/records/selection.ts';

function webhookPayload(mutation: string) {
  return builder.objectRef<SavedHook>(namesOf(mutation).payload).implement({
    description: 'The webhook after the mutation.',
    fields: (t) => ({
      webhook: t.field({
        type: Webhook,
        description: 'The webhook as it is now.',
        resolve: ({ id }, _args, context, info) => findHook(context, { id }, selectionAt(info, 'Hook')),
      }),
    }),
  });
}

const DeleteWebhookPayload = builder.objectRef<SavedHook>('DeleteWebhookPayload').implement({
  description: 'The webhook that was deleted.',
  fields: (t) => ({
    deletedWebhookId: t.id({
      description: 'Global ID of the webhook that was deleted.',
      resolve: ({ id }) => toGlobalId('Webhook', id),
    }),
  }),
});

const DeleteSystemWebhookPayload = builder.objectRef<SavedHook>('DeleteSystemWebhookPayload').implement({
  description: 'The webhook of the server that was deleted.',
  fields: (t) => ({
    deletedSystemWebhookId: t.id({
      description: 'Global ID of the webhook that was deleted.',
      resolve: ({ id }) => toGlobalId('Webhook', id),
    }),
  }),
});

const OUTCOME = select('HookDelivery', { responseStatus: true, error: true });
const SENT = select('HookDelivery', { event: { payload: true } });

function deliveryPayload(mutation: string) {
  return builder.objectRef<Delivered>(namesOf(mutation).payload).implement({
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
      message: t.string({
        description: 'How it went, in words: the status with which the receiver answered, or why nothing came back.',
        resolve: async ({ hookId, deliveryId: id }, _args, context) => {
          const { responseStatus, error } = await readDelivery(context, { hookId, id }, OUTCOME);
          return responseStatus === null ? (error ?? '') : `The receiver answered with status ${responseStatus}.`;
        },
      }),
    }),
  });
}

builder.mutationFields((t) => ({
  createProjectWebhook: t.field({
    type: webhookPayload('createProjectWebhook'),
    description: 'Creates a webhook for the events of a project. For its masters. A project has at most 100.',
    args: {
      input: t.arg({
        type: inputs.CreateProjectWebhookInput,
        required: true,
        description: 'Project, URL and events of the webhook.',
      }),
    },
    resolve: (_root, { input: { project, ...values } }, context) => createProjectHook(context, project, values),
  }),
  createGroupWebhook: t.field({
    type: webhookPayload('createGroupWebhook'),
    description:
      'Creates a webhook for the events of all projects in a group and its subgroups. For owners of the group.',
    args: {
      input: t.arg({
        type: inputs.CreateGroupWebhookInput,
        required: true,
        description: 'Group, URL and events of the webhook.',
      }),
    },
    resolve: (_root, { input: { group, ...values } }, context) => createGroupHook(context, group, values),
  }),
  createSystemWebhook: t.field({
    type: webhookPayload('createSystemWebhook'),
    description: 'Creates a webhook for the events of the server. For administrators.',
    args: {
      input: t.arg({
        type: inputs.CreateSystemWebhookInput,
        required: true,
        description: 'URL and events of the webhook.',
      }),
    },
    resolve: (_root, { input }, context) => createSystemHook(context, input),
  }),
  updateWebhook: t.field({
    type: webhookPayload('updateWebhook'),
    description: 'Changes a webhook. One that was switched off works again. For those who can create it.',
    args: {
      input: t.arg({
        type: inputs.UpdateWebhookInput,
        required: true,
        description: 'Names the webhook, and the changes.',
      }),
    },
    resolve: (_root, { input: { id, project, group, ...values } }, context) =>
      updateHook(context, { id, project, group }, values),
  }),
  enableWebhook: t.field({
    type: webhookPayload('enableWebhook'),
    description:
      'Switches a webhook on again that was switched off after failures; events that wait are sent at once. For those who can create it.',
    args: {
      input: t.arg({
        type: inputs.EnableWebhookInput,
        required: true,
        description: 'Names the webhook to switch on.',
      }),
    },
    resolve: (_root, { input }, context) => enableHook(context, input),
  }),
  deleteWebhook: t.field({
    type: DeleteWebhookPayload,
    description: 'Deletes a webhook with its log; events that wait are not sent. For those who can create it.',
    args: {
      input: t.arg({ type: inputs.DeleteWebhookInput, required: true, description: 'Names the webhook to delete.' }),
    },
    resolve: (_root, { input }, context) => deleteHook(context, input),
  }),
  deleteSystemWebhook: t.field({
    type: DeleteSystemWebhookPayload,
    description: 'Deletes a webhook of the server with its log. For administrators.',
    args: {
      input: t.arg({
        type: inputs.DeleteSystemWebhookInput,
        required: true,
        description: 'Names the webhook to delete.',
      }),
    },
    resolve: (_root, { input: { id } }, context) => deleteHook(context, { id, isSystem: true }),
  }),
  testWebhook: t.field({
    type: deliveryPayload('testWebhook'),
    description:
      'Sends a test event to a webhook and waits for the response, at most 10 seconds. A user can test and redeliver 10 times a minute.',
    args: {
      input: t.arg({
        type: inputs.TestWebhookInput,
        required: true,
        description: 'Names the webhook, and the kind of event.',
      }),
    },
    resolve: (_root, { input: { id, project, trigger } }, context) =>
      testHook(context, context, { id, project }, trigger),
  }),
  testSystemWebhook: t.field({
    type: deliveryPayload('testSystemWebhook'),
    description: 'Sends an example event to a webhook of the server and waits for the response. For administrators.',
    args: {
      input: t.arg({ type: inputs.TestSystemWebhookInput, required: true, description: 'Names the webhook to test.' }),
    },
    resolve: (_root, { input: { id } }, context) => testHook(context, context, { id, isSystem: true }, 'push_events'),
  }),
  redeliverWebhook: t.field({
    type: deliveryPayload('redeliverWebhook'),
    description:
      'Sends the event of a delivery again, with the same ID, and waits for the response. A user can test and redeliver 10 times a minute.',
    args: {
      input: t.arg({
        type: inputs.RedeliverWebhookInput,
        required: true,
        description: 'Names the webhook and the delivery.',
      }),
    },
    resolve: (_root, { input: { project, group, webhookId: id, deliveryId } }, context) =>
      redeliver(context, context, { id, project, group }, deliveryId),
  }),
}));
