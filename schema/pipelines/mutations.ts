import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { toGlobalId } from '#schema/node/types.ts';
import { INPUTS } from '#schema/pipelines/inputs.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { VariableType } from '#schema/variables/variable_type.ts';
import { cancelPipeline } from '#src/domain/ci/pipelines/cancel.ts';
import { deletePipeline, renamePipeline } from '#src/domain/ci/pipelines/change.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import { retryPipeline } from '#src/domain/ci/pipelines/retry.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';

const which = (t: InputFields) => ({
  project: holderField(t, 'pipeline'),
  id: t.field({ ...idOf('Pipeline'), required: true, description: 'Global or numeric ID of the pipeline.' }),
});

const PipelineVariableInput = builder.inputType('PipelineVariableInput', {
  description: 'A variable that a pipeline is given.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name of the variable: letters, digits and `_`; at most 255.' }),
    value: t.string({ required: true, description: 'The text that jobs get under that name.' }),
    variableType: t.field({
      type: VariableType,
      description: 'How jobs get the value; as an environment variable when left out.',
    }),
  }),
});

const CreatePipelineInput = builder.inputType('CreatePipelineInput', {
  description: 'A new pipeline of a project.',
  fields: (t) => ({
    project: projectField(t, 'of the pipeline'),
    ref: t.string({ required: true, description: 'Name of the branch or tag whose latest commit is used.' }),
    variables: t.field({
      type: [PipelineVariableInput],
      description: 'Variables for the jobs, which win over all others.',
    }),
    inputs: t.field({ type: 'JSON', description: INPUTS }),
  }),
});

const RetryPipelineInput = builder.inputType('RetryPipelineInput', {
  description: 'Which pipeline to retry.',
  fields: which,
});

const CancelPipelineInput = builder.inputType('CancelPipelineInput', {
  description: 'Which pipeline to cancel.',
  fields: which,
});

const UpdatePipelineInput = builder.inputType('UpdatePipelineInput', {
  description: 'A new name for a pipeline.',
  fields: (t) => ({
    ...which(t),
    name: t.string({ required: true, description: 'New name, of at most 255 characters; blank for none.' }),
  }),
});

const DeletePipelineInput = builder.inputType('DeletePipelineInput', {
  description: 'Which pipeline to delete.',
  fields: which,
});

const DeletePipelinePayload = builder.objectRef<{ id: number }>(namesOf('deletePipeline').payload).implement({
  description: 'The pipeline that was deleted.',
  fields: (t) => ({
    deletedPipelineId: t.id({
      description: 'Global ID of the pipeline that was deleted.',
      resolve: ({ id }) => toGlobalId('Pipeline', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  updatePipeline: t.field({
    type: pipelinePayload('updatePipeline'),
    description: 'Names a pipeline. For developers.',
    args: {
      input: t.arg({ type: UpdatePipelineInput, required: true, description: 'The pipeline and its new name.' }),
    },
    resolve: async (_root, { input }, context) =>
      renamePipeline(context, await projectHolding(context, 'Pipeline', input), input.id, input.name),
  }),
  deletePipeline: t.field({
    type: DeletePipelinePayload,
    description: 'Deletes a pipeline with its jobs, their logs and artifacts. For owners.',
    args: { input: t.arg({ type: DeletePipelineInput, required: true, description: 'Names the pipeline to delete.' }) },
    resolve: async (_root, { input }, context) =>
      deletePipeline(context, await projectHolding(context, 'Pipeline', input), input.id),
  }),
  createPipeline: t.field({
    type: pipelinePayload('createPipeline'),
    description: 'Starts a pipeline with the jobs that `.gitlab-ci.yml` defines for the ref. For developers.',
    args: {
      input: t.arg({ type: CreatePipelineInput, required: true, description: 'Names the project and the ref.' }),
    },
    resolve: (_root, { input: { project, ref, variables, inputs } }, context) =>
      createPipeline(context, project, ref, {
        inputs,
        variables: (variables ?? []).map(({ key, value, variableType }) => ({
          ...{ key, value, raw: false },
          isFile: variableType === 'file',
        })),
      }),
  }),
  retryPipeline: t.field({
    type: pipelinePayload('retryPipeline'),
    description:
      'Retries the failed and canceled jobs of a pipeline. The answer says PENDING, even if there are none. For developers.',
    args: { input: t.arg({ type: RetryPipelineInput, required: true, description: 'Names the pipeline to retry.' }) },
    resolve: async (_root, { input }, context) =>
      retryPipeline(context, await projectHolding(context, 'Pipeline', input), input.id),
  }),
  cancelPipeline: t.field({
    type: pipelinePayload('cancelPipeline'),
    description: 'Cancels a pipeline with all its jobs that have not finished. For developers.',
    args: { input: t.arg({ type: CancelPipelineInput, required: true, description: 'Names the pipeline to cancel.' }) },
    resolve: async (_root, { input }, context) =>
      cancelPipeline(context, await projectHolding(context, 'Pipeline', input), input.id),
  }),
}));
