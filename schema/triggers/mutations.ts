import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { INPUTS } from '#schema/pipelines/inputs.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
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

const CreateTriggerInput = builder.inputType('CreateTriggerInput', {
  description: 'A new trigger of the caller.',
  fields: (t) => ({
    project: projectField(t, 'whose pipelines the trigger starts'),
    description: t.string({ required: true, description: DESCRIPTION }),
  }),
});

const UpdateTriggerInput = builder.inputType('UpdateTriggerInput', {
  description: 'Changes to a trigger. What is left out stays as it is.',
  fields: (t) => ({ ...which(t), description: t.string({ description: DESCRIPTION }) }),
});

const TakeTriggerOwnershipInput = builder.inputType('TakeTriggerOwnershipInput', {
  description: 'Which trigger to take ownership of.',
  fields: which,
});

const DeleteTriggerInput = builder.inputType('DeleteTriggerInput', {
  description: 'Which trigger to delete.',
  fields: which,
});

const FireTriggerInput = builder.inputType('FireTriggerInput', {
  description: 'Which pipeline to start. The token is the only credential needed.',
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
});

function triggerPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The trigger after the mutation.',
    fields: (t) => ({
      trigger: t.field({
        type: Trigger,
        description: 'The trigger as it is now.',
        resolve: ({ project, id }, _args, context, info) =>
          findTrigger(context, project, id, selectionAt(info, 'Trigger')),
      }),
    }),
  });
}

const DeleteTriggerPayload = builder.objectRef<{ id: number }>('DeleteTriggerPayload').implement({
  description: 'The trigger that was deleted.',
  fields: (t) => ({
    deletedTriggerId: t.id({
      description: 'Global ID of the trigger that was deleted.',
      resolve: ({ id }) => toGlobalId('Trigger', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createTrigger: t.field({
    type: triggerPayload('createTrigger'),
    description: 'Creates a trigger, which starts pipelines on behalf of the caller. For masters of the project.',
    args: {
      input: t.arg({ type: CreateTriggerInput, required: true, description: 'Project and purpose of the trigger.' }),
    },
    resolve: (_root, { input: { project, description } }, context) => createTrigger(context, project, description),
  }),
  updateTrigger: t.field({
    type: triggerPayload('updateTrigger'),
    description: 'Changes a trigger. For masters of the project.',
    args: {
      input: t.arg({ type: UpdateTriggerInput, required: true, description: 'Names the trigger, and the changes.' }),
    },
    resolve: async (_root, { input }, context) =>
      updateTrigger(context, await projectHolding(context, 'Trigger', input), input.id, input.description),
  }),
  takeTriggerOwnership: t.field({
    type: triggerPayload('takeTriggerOwnership'),
    description:
      'Makes the caller the owner of a trigger, which then starts pipelines on their behalf, with a new token. For masters of the project.',
    args: {
      input: t.arg({ type: TakeTriggerOwnershipInput, required: true, description: 'Names the trigger to take over.' }),
    },
    resolve: async (_root, { input }, context) =>
      takeTrigger(context, await projectHolding(context, 'Trigger', input), input.id),
  }),
  deleteTrigger: t.field({
    type: DeleteTriggerPayload,
    description: 'Deletes a trigger; pipelines that it started are kept. For masters of the project.',
    args: { input: t.arg({ type: DeleteTriggerInput, required: true, description: 'Names the trigger to delete.' }) },
    resolve: async (_root, { input }, context) => {
      await deleteTrigger(context, await projectHolding(context, 'Trigger', input), input.id);
      return input;
    },
  }),
  fireTrigger: t.field({
    type: pipelinePayload('fireTrigger'),
    description: 'Starts a pipeline with a trigger token, on behalf of the trigger’s owner. No sign-in is needed.',
    args: {
      input: t.arg({ type: FireTriggerInput, required: true, description: 'Token, ref and variables of the jobs.' }),
    },
    resolve: (_root, { input: { project, ...fire } }, context) => fireTrigger(context, project, fire),
  }),
}));
