import { deliveryPayload } from '#schema/hooks/delivery_payload.ts';
import {
  details,
  events,
  holders,
  newWebhook,
  TOKEN,
  WEBHOOK_URL,
  WebhookTrigger,
  whichSystemWebhook,
  whichWebhook,
  whichWebhookAnywhere,
} from '#schema/hooks/inputs.ts';
import { Webhook } from '#schema/hooks/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { groupField, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { redeliver, testHook } from '#src/domain/webhooks/again.ts';
import { findHook, type HookRef } from '#src/domain/webhooks/list.ts';
import {
  createGroupHook,
  createProjectHook,
  createSystemHook,
  deleteHook,
  enableHook,
  type SavedHook,
  setHookValue,
  updateHook,
} from '#src/domain/webhooks/save.ts';

const webhookPayload: Payload<SavedHook> = changed('webhook', Webhook, 'Hook', findHook);

/** What an input names. */
function refOf({ ofServer, ...ref }: Omit<HookRef, 'isSystem'> & { ofServer?: boolean | null | undefined }): HookRef {
  return ofServer ? { id: ref.id, isSystem: true } : ref;
}

mutation('createProjectWebhook', {
  description: 'Creates a webhook for the events of a project. For its masters. A project has at most 100.',
  input: {
    description: 'A new webhook of a project.',
    argument: 'Project, URL and events of the webhook.',
    fields: (t) => ({ project: projectField(t, 'whose events are sent'), ...newWebhook(t) }),
  },
  resolve: ({ project, ...values }, context) => createProjectHook(context, project, values),
  payload: webhookPayload,
});

mutation('createGroupWebhook', {
  description:
    'Creates a webhook for the events of all projects in a group and its subgroups. For owners of the group.',
  input: {
    description: 'A new webhook of a group.',
    argument: 'Group, URL and events of the webhook.',
    fields: (t) => ({
      group: groupField(t, 'whose projects’ events are sent, with those of its subgroups'),
      ...newWebhook(t),
    }),
  },
  resolve: ({ group, ...values }, context) => createGroupHook(context, group, values),
  payload: webhookPayload,
});

mutation('createSystemWebhook', {
  description: 'Creates a webhook for the events of the server. For administrators.',
  input: {
    description: 'A new webhook of the server. Events of users, projects, groups, members and keys are always sent.',
    argument: 'URL and events of the webhook.',
    fields: (t) => ({
      url: t.string({ required: true, description: WEBHOOK_URL }),
      token: t.string({ description: TOKEN }),
      pushEvents: t.boolean({
        defaultValue: true,
        description: 'Whether pushes to branches of all projects are sent.',
      }),
      tagPushEvents: t.boolean({
        defaultValue: false,
        description: 'Whether new and deleted tags of all projects are sent.',
      }),
      enableSslVerification: t.boolean({
        defaultValue: true,
        description: 'Whether the certificate of the receiver must be valid.',
      }),
      ...details(t),
    }),
  },
  resolve: (input, context) => createSystemHook(context, input),
  payload: webhookPayload,
});

mutation('updateWebhook', {
  description:
    'Changes a webhook. One that was switched off works again. With another URL it loses its token, headers and parts of the URL, unless they are given. For those who can create it.',
  input: {
    description: 'Changes to a webhook. What is left out stays as it is.',
    argument: 'Names the webhook, and the changes.',
    fields: (t) => ({
      ...whichWebhookAnywhere(t),
      url: t.string({ description: WEBHOOK_URL }),
      token: t.string({ description: TOKEN }),
      ...events(t, false),
      ...details(t),
    }),
  },
  resolve: ({ id, project, group, ofServer, ...values }, context) =>
    updateHook(context, refOf({ id, project, group, ofServer }), values),
  payload: webhookPayload,
});

const keyed = (t: InputFields, what: string) => ({
  ...whichWebhookAnywhere(t),
  key: t.string({ required: true, description: `Name of the ${what}.` }),
});

const HEADER = 'header that requests carry in addition';
const PART = 'part of the URL';

mutation('setWebhookHeader', {
  description: 'Sets a header that requests of a webhook carry in addition. For those who can create it.',
  input: {
    description: 'A header of a webhook.',
    argument: 'Names the webhook and the header, with its value.',
    fields: (t) => ({
      ...keyed(t, HEADER),
      value: t.string({ required: true, description: 'Value of the header. Stored encrypted, and never returned.' }),
    }),
  },
  resolve: ({ key, value, ...which }, context) =>
    setHookValue(context, refOf(which), { of: 'customHeaders', key, value }),
  payload: webhookPayload,
});

mutation('removeWebhookHeader', {
  description: 'Removes a header that requests of a webhook carry in addition. For those who can create it.',
  input: {
    description: 'Which header of a webhook to remove.',
    argument: 'Names the webhook and the header.',
    fields: (t) => keyed(t, HEADER),
  },
  resolve: ({ key, ...which }, context) =>
    setHookValue(context, refOf(which), { of: 'customHeaders', key, value: null }),
  payload: webhookPayload,
});

mutation('setWebhookUrlVariable', {
  description: 'Sets what a name in braces in the URL of a webhook stands for. For those who can create it.',
  input: {
    description: 'A part of the URL of a webhook that is kept secret.',
    argument: 'Names the webhook and the part, with its value.',
    fields: (t) => ({
      ...keyed(t, PART),
      value: t.string({
        required: true,
        description: 'What requests have in its place. Stored encrypted, and never returned.',
      }),
    }),
  },
  resolve: ({ key, value, ...which }, context) =>
    setHookValue(context, refOf(which), { of: 'urlVariables', key, value }),
  payload: webhookPayload,
});

mutation('removeWebhookUrlVariable', {
  description:
    'Removes what a name in braces in the URL of a webhook stands for, which the URL must not have any more. For those who can create it.',
  input: {
    description: 'Which part of the URL of a webhook to remove.',
    argument: 'Names the webhook and the part.',
    fields: (t) => keyed(t, PART),
  },
  resolve: ({ key, ...which }, context) =>
    setHookValue(context, refOf(which), { of: 'urlVariables', key, value: null }),
  payload: webhookPayload,
});

mutation('enableWebhook', {
  description:
    'Switches a webhook on again that was switched off after failures; events that wait are sent at once. For those who can create it.',
  input: {
    description: 'Which webhook to switch on again.',
    argument: 'Names the webhook to switch on.',
    fields: whichWebhook,
  },
  resolve: (input, context) => enableHook(context, input),
  payload: webhookPayload,
});

mutation('deleteWebhook', {
  description: 'Deletes a webhook with its log; events that wait are not sent. For those who can create it.',
  input: { description: 'Which webhook to delete.', argument: 'Names the webhook to delete.', fields: whichWebhook },
  resolve: (input, context) => deleteHook(context, input),
  payload: { ...deleted('Webhook', 'webhook'), from: fromPlace },
});

mutation('deleteSystemWebhook', {
  description: 'Deletes a webhook of the server with its log. For administrators.',
  input: {
    description: 'Which webhook of the server to delete.',
    argument: 'Names the webhook to delete.',
    fields: whichSystemWebhook,
  },
  resolve: ({ id }, context) => deleteHook(context, { id, isSystem: true }),
  payload: {
    description: 'The webhook of the server that was deleted.',
    fields: (t) => ({
      deletedSystemWebhookId: t.id({
        description: 'Global ID of the webhook that was deleted.',
        resolve: ({ id }) => toGlobalId('Webhook', id),
      }),
    }),
  },
});

mutation('testWebhook', {
  description:
    'Sends a test event to a webhook and waits for the response, at most 10 seconds. A user can test and redeliver 10 times a minute.',
  input: {
    description: 'Which webhook to test, and how.',
    argument: 'Names the webhook, and the kind of event.',
    fields: (t) => ({
      ...whichWebhook(t),
      trigger: t.field({
        type: WebhookTrigger,
        required: true,
        description:
          'Kind of the event, which is about the latest such record. Webhooks of the server send an example.',
      }),
    }),
  },
  resolve: ({ id, project, group, trigger }, context) => testHook(context, context, { id, project, group }, trigger),
  payload: deliveryPayload,
});

mutation('testSystemWebhook', {
  description: 'Sends an example event to a webhook of the server and waits for the response. For administrators.',
  input: {
    description: 'Which webhook of the server to test.',
    argument: 'Names the webhook to test.',
    fields: whichSystemWebhook,
  },
  resolve: ({ id }, context) => testHook(context, context, { id, isSystem: true }, 'push_events'),
  payload: deliveryPayload,
});

mutation('redeliverWebhook', {
  description:
    'Sends the event of a delivery again, with the same ID, and waits for the response. A user can test and redeliver 10 times a minute.',
  input: {
    description: 'Which delivery to make again.',
    argument: 'Names the webhook and the delivery.',
    fields: (t) => ({
      ...holders(t),
      webhookId: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }),
      deliveryId: t.field({
        ...idOf('WebhookDelivery'),
        required: true,
        description: 'Global or numeric ID of the delivery.',
      }),
    }),
  },
  resolve: ({ project, group, webhookId: id, deliveryId }, context) =>
    redeliver(context, context, { id, project, group }, deliveryId),
  payload: deliveryPayload,
});
