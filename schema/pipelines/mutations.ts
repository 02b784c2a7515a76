import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { deleted, mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { INPUTS } from '#schema/pipelines/inputs.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { fromProject } from '#schema/places/parents.ts';
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

mutation('updatePipeline', {
  description: 'Names a pipeline. For developers.',
  input: {
    description: 'A new name for a pipeline.',
    argument: 'The pipeline and its new name.',
    fields: (t) => ({
      ...which(t),
      name: t.string({ required: true, description: 'New name, of at most 255 characters; blank for none.' }),
    }),
  },
  resolve: async (input, context) =>
    renamePipeline(context, await projectHolding(context, 'Pipeline', input), input.id, input.name),
  payload: pipelinePayload,
});

mutation('deletePipeline', {
  description: 'Deletes a pipeline with its jobs, their logs and artifacts. For owners.',
  input: { description: 'Which pipeline to delete.', argument: 'Names the pipeline to delete.', fields: which },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'Pipeline', input);
    return { ...(await deletePipeline(context, project, input.id)), project };
  },
  payload: { ...deleted('Pipeline', 'pipeline'), from: fromProject },
});

mutation('createPipeline', {
  description: 'Starts a pipeline with the jobs that `.gitlab-ci.yml` defines for the ref. For developers.',
  input: {
    description: 'A new pipeline of a project.',
    argument: 'Names the project and the ref.',
    fields: (t) => ({
      project: projectField(t, 'of the pipeline'),
      ref: t.string({ required: true, description: 'Name of the branch or tag whose latest commit is used.' }),
      variables: t.field({
        type: [PipelineVariableInput],
        description: 'Variables for the jobs, which win over all others.',
      }),
      inputs: t.field({ type: 'JSON', description: INPUTS }),
    }),
  },
  resolve: ({ project, ref, variables, inputs }, context) =>
    createPipeline(context, project, ref, {
      inputs,
      variables: (variables ?? []).map(({ key, value, variableType }) => ({
        ...{ key, value, raw: false },
        isFile: variableType === 'file',
      })),
    }),
  payload: pipelinePayload,
});

mutation('retryPipeline', {
  description:
    'Retries the failed and canceled jobs of a pipeline. The answer says PENDING, even if there are none. For developers.',
  input: { description: 'Which pipeline to retry.', argument: 'Names the pipeline to retry.', fields: which },
  resolve: async (input, context) => retryPipeline(context, await projectHolding(context, 'Pipeline', input), input.id),
  payload: pipelinePayload,
});

mutation('cancelPipeline', {
  description: 'Cancels a pipeline with all its jobs that have not finished. For developers.',
  input: { description: 'Which pipeline to cancel.', argument: 'Names the pipeline to cancel.', fields: which },
  resolve: async (input, context) =>
    cancelPipeline(context, await projectHolding(context, 'Pipeline', input), input.id),
  payload: pipelinePayload,
});
