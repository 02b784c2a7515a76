import { deliveryPayload } from '#schema/hooks/delivery_payload.ts';
import { WebhookTrigger } from '#schema/hooks/inputs.ts';
import type { InputFields } from '#schema/inputs.ts';
import { EVENT_DESCRIPTIONS, Integration } from '#schema/integrations/types.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { viewIntegration } from '#src/domain/integrations/find.ts';
import { type ChangedIntegration, deleteIntegration, saveIntegration } from '#src/domain/integrations/save.ts';
import { redeliverIntegration, testIntegration } from '#src/domain/webhooks/again.ts';

const which = (t: InputFields) => ({
  ...placeFields(t, 'that has the integration'),
  ofServer: t.boolean({ description: 'Whether it is that of the server, in place of a project or group.' }),
  slug: t.string({ required: true, description: 'The kind, such as `slack`.' }),
});

const payload: Payload<ChangedIntegration> = {
  description: 'The integration after the mutation.',
  fields: (t) => ({
    integration: t.field({
      type: Integration,
      nullable: true,
      description: 'The integration as it counts for the place now.',
      resolve: ({ place, slug }, _args, context) => viewIntegration(context, place, slug),
    }),
  }),
};

const event = (t: InputFields, name: keyof typeof EVENT_DESCRIPTIONS) =>
  t.boolean({ description: `${EVENT_DESCRIPTIONS[name]}, if the kind can be.` });

mutation('updateIntegration', {
  description:
    'Sets an integration up, or changes it; one that was switched off after failures works again. For masters of the project, owners of the group, or administrators.',
  input: {
    description: 'Settings of an integration. What is left out stays as it is, or is as usual for a new one.',
    argument: 'Place and kind of the integration, and the changes.',
    fields: (t) => ({
      ...which(t),
      active: t.boolean({ description: 'Whether it is on; true when left out.' }),
      useInheritedSettings: t.boolean({
        description:
          'Whether the place gives up its own integration, and uses that of the nearest group around it or of the server. Nothing else is changed then.',
      }),
      commitEvents: event(t, 'commit_events'),
      pushEvents: event(t, 'push_events'),
      tagPushEvents: event(t, 'tag_push_events'),
      issuesEvents: event(t, 'issues_events'),
      confidentialIssuesEvents: event(t, 'confidential_issues_events'),
      mergeRequestsEvents: event(t, 'merge_requests_events'),
      noteEvents: event(t, 'note_events'),
      confidentialNoteEvents: event(t, 'confidential_note_events'),
      jobEvents: event(t, 'job_events'),
      pipelineEvents: event(t, 'pipeline_events'),
      wikiPageEvents: event(t, 'wiki_page_events'),
      deploymentEvents: event(t, 'deployment_events'),
      properties: t.field({
        type: 'JSON',
        description:
          'Values of the settings of the kind by their names, as `fields` of the integration lists them; null removes one. With another URL that requests go to, secrets must be given again.',
      }),
      ignoreUnknownProperties: t.boolean({
        description: 'Whether names that are no settings of the kind are ignored instead of refused.',
      }),
    }),
  },
  resolve: (input, context) => {
    const { project, group, ofServer, slug, active, useInheritedSettings, properties } = input;
    const events = {
      commit_events: input.commitEvents,
      push_events: input.pushEvents,
      tag_push_events: input.tagPushEvents,
      issues_events: input.issuesEvents,
      confidential_issues_events: input.confidentialIssuesEvents,
      merge_requests_events: input.mergeRequestsEvents,
      note_events: input.noteEvents,
      confidential_note_events: input.confidentialNoteEvents,
      job_events: input.jobEvents,
      pipeline_events: input.pipelineEvents,
      wiki_page_events: input.wikiPageEvents,
      deployment_events: input.deploymentEvents,
    };
    const ignoreUnknown = input.ignoreUnknownProperties;
    const values = { active, useInheritedSettings, properties, events, ignoreUnknown };
    return saveIntegration(context, { project, group, ofServer }, slug, values);
  },
  payload,
});

mutation('removeIntegration', {
  description:
    'Removes an integration with its settings and its log. Where that of a group around the place or of the server would count instead, the kind is off for the place; `updateIntegration` with `useInheritedSettings` takes it. For those who can set it up.',
  input: { description: 'Which integration to remove.', argument: 'Place and kind of the integration.', fields: which },
  resolve: ({ slug, project, group, ofServer }, context) =>
    deleteIntegration(context, { project, group, ofServer }, slug),
  payload,
});

mutation('testIntegration', {
  description:
    'Tells an integration of the latest event of a kind, and waits for the response, at most 10 seconds. A user can test and redeliver 10 times a minute.',
  input: {
    description: 'Which integration to test, and how.',
    argument: 'Place and kind of the integration, and the kind of event.',
    fields: (t) => ({
      ...which(t),
      trigger: t.field({
        type: WebhookTrigger,
        required: true,
        description: 'Kind of the event, which is about the latest such record of the place.',
      }),
    }),
  },
  resolve: ({ trigger, slug, project, group, ofServer }, context) =>
    testIntegration(context, context, { slug, project, group, ofServer }, trigger),
  payload: deliveryPayload,
});

mutation('redeliverIntegrationEvent', {
  description:
    'Tells an integration again of the event of a delivery, and waits for the response. A user can test and redeliver 10 times a minute.',
  input: {
    description: 'Which delivery to make again.',
    argument: 'Place and kind of the integration, and the delivery.',
    fields: (t) => ({
      ...which(t),
      deliveryId: t.field({
        ...idOf('WebhookDelivery'),
        required: true,
        description: 'Global or numeric ID of the delivery.',
      }),
    }),
  },
  resolve: ({ deliveryId, slug, project, group, ofServer }, context) =>
    redeliverIntegration(context, context, { slug, project, group, ofServer }, deliveryId),
  payload: deliveryPayload,
});
