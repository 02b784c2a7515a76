import { builder } from '#schema/builder.ts';
import { PipelinePayload } from '#schema/pipelines/mutations.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Trigger } from '#schema/triggers/types.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import { fireTrigger } from '#src/triggers/fire.ts';
import { findTrigger } from '#src/triggers/list.ts';
import { createTrigger, deleteTrigger, takeTrigger, updateTrigger } from '#src/triggers/save.ts';

const CreateTriggerInput = builder.inputType('CreateTriggerInput', {
  description: 'A new trigger of the caller.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    description: t.string({ required: true, description: 'What it is for.' }),
  }),
});

const UpdateTriggerInput = builder.inputType('UpdateTriggerInput', {
  description: 'Changes to a trigger: unset means unchanged.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
    description: t.string({ description: 'What it is for.' }),
  }),
});

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'Which trigger.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
  }),
});

const FireTriggerInput = builder.inputType('FireTriggerInput', {
  description: 'Which pipeline to start. No credential is needed but the token.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    token: t.string({ required: true, description: 'Token of a trigger of the project.' }),
    ref: t.string({ required: true, description: 'A branch or a tag.' }),
    variables: t.field({ type: 'JSON', description: 'What the jobs are told: texts by their names.' }),
  }),
});

const TriggerPayload = builder.objectRef<ChangedRecord>('TriggerPayload').implement({
  description: 'The trigger as it is now.',
  fields: (t) => ({
    trigger: t.field({
      type: Trigger,
      description: 'The trigger.',
      resolve: ({ project, id }, _args, context, info) =>
        findTrigger(context, project, id, selectionAt(info, 'Trigger')),
    }),
  }),
});

const DeleteTriggerPayload = builder.objectRef<{ databaseId: number }>('DeleteTriggerPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'Numeric ID of the trigger that is gone.' }),
  }),
});

builder.mutationFields((t) => ({
  createTrigger: t.field({
    type: TriggerPayload,
    description: 'Creates a trigger, which starts pipelines as the caller.',
    args: { input: t.arg({ type: CreateTriggerInput, required: true, description: 'The new trigger.' }) },
    resolve: (_root, { input: { project, description } }, context) => createTrigger(context, project, description),
  }),
  updateTrigger: t.field({
    type: TriggerPayload,
    description: 'Changes a trigger.',
    args: { input: t.arg({ type: UpdateTriggerInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, databaseId, description } }, context) =>
      updateTrigger(context, project, databaseId, description),
  }),
  takeTriggerOwnership: t.field({
    type: TriggerPayload,
    description: 'Has a trigger start pipelines as the caller from now on.',
    args: { input: t.arg({ type: TriggerInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => takeTrigger(context, project, databaseId),
  }),
  deleteTrigger: t.field({
    type: DeleteTriggerPayload,
    description: 'Deletes a trigger; the pipelines that it started stay.',
    args: { input: t.arg({ type: TriggerInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, databaseId } }, context) => {
      await deleteTrigger(context, project, databaseId);
      return { databaseId };
    },
  }),
  fireTrigger: t.field({
    type: PipelinePayload,
    description: 'Starts a pipeline by the token of a trigger, as its owner.',
    args: { input: t.arg({ type: FireTriggerInput, required: true, description: 'Which pipeline.' }) },
    resolve: (_root, { input: { project, ...fire } }, context) => fireTrigger(context, project, fire),
  }),
}));
