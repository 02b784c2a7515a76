import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { INPUTS } from '#schema/pipelines/inputs.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { fromProject } from '#schema/places/parents.ts';
import { Trigger } from '#schema/triggers/types.ts';
import { fireTrigger } from '#src/domain/ci/triggers/fire.ts';
import { findTrigger } from '#src/domain/ci/triggers/list.ts';
import { createTrigger, deleteTrigger, takeTrigger, updateTrigger } from '#src/domain/ci/triggers/save.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const DESCRIPTION = 'Description of the trigger’s purpose.';

const which = (t: InputFields) => ({
  project: holderField(t, 'trigger'),
  id: t.field({ ...idOf('Trigger'), required: true, description: 'Global or numeric ID of the trigger.' }),
});

const triggerPayload: Payload<ChangedRecord> = changed(
  'trigger',
  Trigger,
  'Trigger',
  (context, { project, id }, selection) => findTrigger(context, project, id, selection),
);

mutation('createTrigger', {
  description: 'Creates a trigger, which starts pipelines on behalf of the caller. For masters of the project.',
  input: {
    description: 'A new trigger of the caller.',
    argument: 'Project and purpose of the trigger.',
    fields: (t) => ({
      project: projectField(t, 'whose pipelines the trigger starts'),
      description: t.string({ required: true, description: DESCRIPTION }),
    }),
  },
  resolve: ({ project, description }, context) => createTrigger(context, project, description),
  payload: triggerPayload,
});

mutation('updateTrigger', {
  description: 'Changes a trigger. For masters of the project.',
  input: {
    description: 'Changes to a trigger. What is left out stays as it is.',
    argument: 'Names the trigger, and the changes.',
    fields: (t) => ({ ...which(t), description: t.string({ description: DESCRIPTION }) }),
  },
  resolve: async (input, context) =>
    updateTrigger(context, await projectHolding(context, 'Trigger', input), input.id, input.description),
  payload: triggerPayload,
});

mutation('takeTriggerOwnership', {
  description:
    'Makes the caller the owner of a trigger, which then starts pipelines on their behalf, with a new token. For masters of the project.',
  input: {
    description: 'Which trigger to take ownership of.',
    argument: 'Names the trigger to take over.',
    fields: which,
  },
  resolve: async (input, context) => takeTrigger(context, await projectHolding(context, 'Trigger', input), input.id),
  payload: triggerPayload,
});

mutation('deleteTrigger', {
  description: 'Deletes a trigger; pipelines that it started are kept. For masters of the project.',
  input: { description: 'Which trigger to delete.', argument: 'Names the trigger to delete.', fields: which },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'Trigger', input);
    await deleteTrigger(context, project, input.id);
    return { ...input, project };
  },
  payload: { ...deleted('Trigger', 'trigger'), from: fromProject },
});

mutation('fireTrigger', {
  description: 'Starts a pipeline with a trigger token, on behalf of the trigger’s owner. No sign-in is needed.',
  input: {
    description: 'Which pipeline to start. The token is the only credential needed.',
    argument: 'Token, ref and variables of the jobs.',
    fields: (t) => ({
      project: projectField(t, 'of the trigger'),
      token: t.string({ required: true, description: 'Token of a trigger of the project.' }),
      ref: t.string({ required: true, description: 'Name of the branch or tag whose latest commit is used.' }),
      variables: t.field({ type: 'JSON', description: 'Variables for the jobs: an object of keys and string values.' }),
      inputs: t.field({ type: 'JSON', description: INPUTS }),
      payload: t.field({
        type: 'JSON',
        description:
          'What a webhook told: jobs have it as JSON in the file of the variable TRIGGER_PAYLOAD, up to 256 KiB.',
      }),
    }),
  },
  resolve: ({ project, ...fire }, context) => fireTrigger(context, project, fire),
  payload: pipelinePayload,
});
