import { builder } from '#schema/builder.ts';
import { groupField, holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { TEST_TRIGGERS, type TestTrigger } from '#src/domain/webhooks/sample.ts';

const WEBHOOK_URL =
  'The URL to send events to, with http or https. Its address must be a public one unless the server allows it.';

const TOKEN =
  'Secret that is sent in the header `X-Gitlab-Token` and signs the requests; blank or null for none. At most 2,048 characters. Stored encrypted.';

/** The event switches; `isNew` adds the defaults for new webhooks. */
const events = (t: InputFields, isNew: boolean) => {
  const flag = (description: string, defaultValue: boolean) =>
    t.boolean({ description, ...(isNew ? { defaultValue } : {}) });
  return {
    pushEvents: flag('Whether pushes to branches are sent.', true),
    tagPushEvents: flag('Whether new and deleted tags are sent.', false),
    issuesEvents: flag('Whether changes of issues are sent, except for confidential ones.', false),
    confidentialIssuesEvents: flag(
      'Whether changes of confidential issues are sent, and with `noteEvents` comments on them.',
      false,
    ),
    mergeRequestsEvents: flag('Whether changes of merge requests are sent.', false),
    noteEvents: flag('Whether new comments are sent.', false),
    jobEvents: flag('Whether changes of the status of jobs are sent.', false),
    pipelineEvents: flag('Whether changes of the status of pipelines are sent.', false),
    wikiPageEvents: flag('Whether changes of wiki pages are wanted.', false),
    releasesEvents: flag('Whether new, changed and deleted releases are sent.', false),
    enableSslVerification: flag('Whether the certificate of the receiver must be valid.', true),
  };
};

const created = (t: InputFields) => ({
  url: t.string({ required: true, description: WEBHOOK_URL }),
  token: t.string({ description: TOKEN }),
  ...events(t, true),
});

export const CreateProjectWebhookInput = builder.inputType('CreateProjectWebhookInput', {
  description: 'A new webhook of a project.',
  fields: (t) => ({ project: projectField(t, 'whose events are sent'), ...created(t) }),
});

export const CreateGroupWebhookInput = builder.inputType('CreateGroupWebhookInput', {
  description: 'A new webhook of a group.',
  fields: (t) => ({
    group: groupField(t, 'whose projects’ events are sent, with those of its subgroups'),
    ...created(t),
  }),
});

export const CreateSystemWebhookInput = builder.inputType('CreateSystemWebhookInput', {
  description: 'A new webhook of the server. Events of users, projects, groups, members and keys are always sent.',
  fields: (t) => ({
    url: t.string({ required: true, description: WEBHOOK_URL }),
    token: t.string({ description: TOKEN }),
    pushEvents: t.boolean({ defaultValue: true, description: 'Whether pushes to branches of all projects are sent.' }),
    tagPushEvents: t.boolean({
      defaultValue: false,
      description: 'Whether new and deleted tags of all projects are sent.',
    }),
    enableSslVerification: t.boolean({
      defaultValue: true,
      description: 'Whether the certificate of the receiver must be valid.',
    }),
  }),
});

const holders = (t: InputFields) => ({
  project: holderField(t, 'webhook'),
  group: t.field({
    type: 'GroupRef',
    description:
      'The group that the webhook must belong to: full path, global ID or numeric ID. Any group when left out.',
  }),
});

const which = (t: InputFields) => ({
  ...holders(t),
  id: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }),
});

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes to a webhook. What is left out stays as it is.',
  fields: (t) => ({
    ...which(t),
    url: t.string({ description: WEBHOOK_URL }),
    token: t.string({ description: TOKEN }),
    ...events(t, false),
  }),
});

export const EnableWebhookInput = builder.inputType('EnableWebhookInput', {
  description: 'Which webhook to switch on again.',
  fields: which,
});

export const DeleteWebhookInput = builder.inputType('DeleteWebhookInput', {
  description: 'Which webhook to delete.',
  fields: which,
});

const systemOnly = (t: InputFields) => ({
  id: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of a webhook of the server.' }),
});

export const DeleteSystemWebhookInput = builder.inputType('DeleteSystemWebhookInput', {
  description: 'Which webhook of the server to delete.',
  fields: systemOnly,
});

export const TestSystemWebhookInput = builder.inputType('TestSystemWebhookInput', {
  description: 'Which webhook of the server to test.',
  fields: systemOnly,
});

const WebhookTrigger = builder.enumType('WebhookTrigger', {
  description: 'The kind of event that a test of a webhook sends.',
  values: Object.fromEntries(
    TEST_TRIGGERS.map((value) => [
      value.toUpperCase(),
      { value, description: `An event as \`${value}\` of the REST API subscribes to.` },
    ]),
  ) as Record<string, { value: TestTrigger; description: string }>,
});

export const TestWebhookInput = builder.inputType('TestWebhookInput', {
  description: 'Which webhook to test, and how.',
  fields: (t) => ({
    ...which(t),
    trigger: t.field({
      type: WebhookTrigger,
      required: true,
      description: 'Kind of the event, which is about the latest such record. Webhooks of the server send an example.',
    }),
  }),
});

export const RedeliverWebhookInput = builder.inputType('RedeliverWebhookInput', {
  description: 'Which delivery to make again.',
  fields: (t) => ({
    ...holders(t),
    webhookId: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }),
    deliveryId: t.field({
      ...idOf('WebhookDelivery'),
      required: true,
      description: 'Global or numeric ID of the delivery.',
    }),
  }),
});
