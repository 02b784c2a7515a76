import { builder } from '#schema/builder.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { cancelPipeline } from '#src/pipelines/cancel.ts';
import { createPipeline } from '#src/pipelines/create.ts';
import { changedPipeline } from '#src/pipelines/find.ts';
import { retryPipeline } from '#src/pipelines/retry.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const CreatePipelineInput = builder.inputType('CreatePipelineInput', {
  description: 'A new pipeline.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    ref: t.string({ required: true, description: 'A branch or a tag.' }),
  }),
});

const PipelineInput = builder.inputType('PipelineInput', {
  description: 'Which pipeline.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
  }),
});

export const PipelinePayload = builder.objectRef<ChangedRecord>('PipelinePayload').implement({
  description: 'The pipeline as it is now.',
  fields: (t) => ({
    pipeline: t.field({
      type: Pipeline,
      description: 'The pipeline.',
      resolve: (changed, _args, context, info) => changedPipeline(context, changed, selectionAt(info, 'Pipeline')),
    }),
  }),
});

builder.mutationFields((t) => ({
  createPipeline: t.field({
    type: PipelinePayload,
    description: 'Starts a pipeline, with the jobs that `.gitlab-ci.yml` has for the ref.',
    args: { input: t.arg({ type: CreatePipelineInput, required: true, description: 'The new pipeline.' }) },
    resolve: (_root, { input: { project, ref } }, context) => createPipeline(context, project, ref),
  }),
  retryPipeline: t.field({
    type: PipelinePayload,
    description: 'Has the failed and canceled jobs of a pipeline done again.',
    args: { input: t.arg({ type: PipelineInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => retryPipeline(context, project, databaseId),
  }),
  cancelPipeline: t.field({
    type: PipelinePayload,
    description: 'Cancels a pipeline with all its jobs that have not finished.',
    args: { input: t.arg({ type: PipelineInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => cancelPipeline(context, project, databaseId),
  }),
}));
