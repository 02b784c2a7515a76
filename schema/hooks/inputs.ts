import { builder } from '#schema/builder.ts';
import type { InputFields } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { holderFields } from '#schema/places/fields.ts';
import { TEST_TRIGGERS, type TestTrigger } from '#src/domain/webhooks/sample.ts';

export const WEBHOOK_URL =
  'The URL to send events to, with http or https. Its address must be a public one unless the server allows it.';

export const TOKEN =
  'Secret that is sent in the header `X-Gitlab-Token` and signs the requests; blank or null for none. At most 2,048 characters. Stored encrypted.';

export const BranchFilterStrategy = builder.enumType('BranchFilterStrategy', {
  description: 'How a webhook chooses the branches of whose pushes it is told.',
  values: {
    WILDCARD: { value: 'wildcard', description: 'By a pattern of the whole name, where `*` stands for any text.' },
    REGEX: { value: 'regex', description: 'By a regular expression, which is found in the name.' },
    ALL_BRANCHES: { value: 'all_branches', description: 'All branches, whatever the filter says.' },
  } as const,
});

const WebhookHeaderInput = builder.inputType('WebhookHeaderInput', {
  description: 'A header that requests of a webhook carry in addition.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name of the header.' }),
    value: t.string({ required: true, description: 'Value of the header. Stored encrypted, and never returned.' }),
  }),
});

const WebhookUrlVariableInput = builder.inputType('WebhookUrlVariableInput', {
  description: 'A part of the URL of a webhook that is kept secret.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name of the part, which stands in the URL as `{key}`.' }),
    value: t.string({
      required: true,
      description: 'What requests have in its place. Stored encrypted, and never returned.',
    }),
  }),
});

/** What narrows and names a webhook. */
export const details = (t: InputFields) => ({
  name: t.string({ description: 'Name for people; at most 255 characters.' }),
  description: t.string({ description: 'What the webhook is for; at most 2,048 characters.' }),
  pushEventsBranchFilter: t.string({
    description:
      'The branches of whose pushes it is told; null or blank for all. What it means is said by `branchFilterStrategy`.',
  }),
  branchFilterStrategy: t.field({
    type: BranchFilterStrategy,
    description: 'How the filter is read; a pattern for new webhooks.',
  }),
  customHeaders: t.field({
    type: [WebhookHeaderInput],
    description: 'All headers that requests carry in addition, at most 20; null for none.',
  }),
  urlVariables: t.field({
    type: [WebhookUrlVariableInput],
    description: 'All that names in braces in the URL stand for, at most 20; null for none.',
  }),
  customWebhookTemplate: t.string({
    description:
      'JSON to send in place of payloads, in which `{{project.name}}` stands for that value of the payload; null or blank for the payload itself. At most 4,096 characters.',
  }),
});

/** The event switches; `isNew` adds the defaults for new webhooks. */
export const events = (t: InputFields, isNew: boolean) => {
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
    confidentialNoteEvents: t.boolean({
      description:
        'Whether comments are sent on what not everybody sees. Until it is set, they are with both `noteEvents` and `confidentialIssuesEvents`.',
    }),
    jobEvents: flag('Whether changes of the status of jobs are sent.', false),
    pipelineEvents: flag('Whether changes of the status of pipelines are sent.', false),
    wikiPageEvents: flag('Whether changes of wiki pages are wanted.', false),
    releasesEvents: flag('Whether new, changed and deleted releases are sent.', false),
    deploymentEvents: flag('Whether deployments that begin or end are sent.', false),
    featureFlagEvents: flag('Whether feature flags that are turned on or off are sent.', false),
    enableSslVerification: flag('Whether the certificate of the receiver must be valid.', true),
  };
};

export const newWebhook = (t: InputFields) => ({
  url: t.string({ required: true, description: WEBHOOK_URL }),
  token: t.string({ description: TOKEN }),
  ...events(t, true),
  ...details(t),
});

export const holders = (t: InputFields) => holderFields(t, 'webhook');

export const whichWebhook = (t: InputFields) => ({
  ...holders(t),
  id: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }),
});

/** A webhook, which must be one of the server if that is said. */
export const whichWebhookAnywhere = (t: InputFields) => ({
  ...whichWebhook(t),
  ofServer: t.boolean({ description: 'Whether it must be a webhook of the server. False when left out.' }),
});

export const whichSystemWebhook = (t: InputFields) => ({
  id: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of a webhook of the server.' }),
});

export const WebhookTrigger = builder.enumType('WebhookTrigger', {
  description: 'The kind of event that a test of a webhook sends.',
  values: Object.fromEntries(
    TEST_TRIGGERS.map((value) => [
      value.toUpperCase(),
      { value, description: `An event as \`${value}\` of the REST API subscribes to.` },
    ]),
  ) as Record<string, { value: TestTrigger; description: string }>,
});
