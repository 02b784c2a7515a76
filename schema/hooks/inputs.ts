import { builder } from '#schema/builder.ts';
import { holderField, type InputFields } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { TEST_TRIGGERS, type TestTrigger } from '#src/domain/webhooks/sample.ts';

export const WEBHOOK_URL =
  'The URL to send events to, with http or https. Its address must be a public one unless the server allows it.';

export const TOKEN =
  'Secret that is sent in the header `X-Gitlab-Token` and signs the requests; blank or null for none. At most 2,048 characters. Stored encrypted.';

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
    jobEvents: flag('Whether changes of the status of jobs are sent.', false),
    pipelineEvents: flag('Whether changes of the status of pipelines are sent.', false),
    wikiPageEvents: flag('Whether changes of wiki pages are wanted.', false),
    releasesEvents: flag('Whether new, changed and deleted releases are sent.', false),
    enableSslVerification: flag('Whether the certificate of the receiver must be valid.', true),
  };
};

export const newWebhook = (t: InputFields) => ({
  url: t.string({ required: true, description: WEBHOOK_URL }),
  token: t.string({ description: TOKEN }),
  ...events(t, true),
});

export const holders = (t: InputFields) => ({
  project: holderField(t, 'webhook'),
  group: t.field({
    type: 'GroupRef',
    description:
      'The group that the webhook must belong to: full path, global ID or numeric ID. Any group when left out.',
  }),
});

export const whichWebhook = (t: InputFields) => ({
  ...holders(t),
  id: t.field({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }),
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
