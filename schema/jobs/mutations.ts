import { builder } from '#schema/builder.ts';
import { holderField, namesOf, projectField } from '#schema/inputs.ts';
import { Job } from '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { keepArtifacts } from '#src/domain/ci/artifacts/keep.ts';
import { removeJobArtifacts, removeProjectArtifacts } from '#src/domain/ci/artifacts/remove.ts';
import { cancelJob, eraseJob, playJob, retryJob } from '#src/domain/ci/jobs/change.ts';
import { changedJob } from '#src/domain/ci/jobs/list.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

function jobInput(mutation: string, description: string) {
  return builder.inputType(namesOf(mutation).input, {
    description,
    fields: (t) => ({
      project: holderField(t, 'job'),
      id: t.field({ ...idOf('Job'), required: true, description: 'Global or numeric ID of the job.' }),
    }),
  });
}

function jobPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The job after the mutation.',
    fields: (t) => ({
      job: t.field({
        type: Job,
        description: 'The job as it is now.',
        resolve: (changed, _args, context, info) => changedJob(context, changed, selectionAt(info, 'Job')),
      }),
    }),
  });
}

const CancelJobInput = builder.inputType('CancelJobInput', {
  description: 'Which job to cancel.',
  fields: (t) => ({
    project: holderField(t, 'job'),
    id: t.field({ ...idOf('Job'), required: true, description: 'Global or numeric ID of the job.' }),
    force: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether a job that its runner still ends is over at once. For masters.',
    }),
  }),
});
const RetryJobInput = jobInput('retryJob', 'Which job to retry.');
const PlayJobInput = jobInput('playJob', 'Which manual job to start.');
const EraseJobInput = jobInput('eraseJob', 'Which job to erase.');
const RemoveJobArtifactsInput = jobInput('removeJobArtifacts', 'Which job’s artifacts to delete.');
const RemoveProjectArtifactsInput = builder.inputType('RemoveProjectArtifactsInput', {
  description: 'Which project’s artifacts to delete.',
  fields: (t) => ({ project: projectField(t, 'whose artifacts are deleted') }),
});
const RemoveProjectArtifactsPayload = builder.objectRef<{ id: number }>('RemoveProjectArtifactsPayload').implement({
  description: 'The project whose artifacts are being deleted.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project, whose artifacts are gone a little later.',
      resolve: ({ id }, _args, context, info) => requireProject(context, info, id),
    }),
  }),
});
const KeepJobArtifactsInput = jobInput('keepJobArtifacts', 'Which job’s artifacts to keep.');

builder.mutationFields((t) => ({
  cancelJob: t.field({
    type: jobPayload('cancelJob'),
    description: 'Cancels a job. Finished jobs do not change. For developers.',
    args: { input: t.arg({ type: CancelJobInput, required: true, description: 'Names the job to cancel.' }) },
    resolve: async (_root, { input }, context) =>
      cancelJob(context, await projectHolding(context, 'Job', input), input.id, input.force),
  }),
  retryJob: t.field({
    type: jobPayload('retryJob'),
    description: 'Retries a finished job as a new job, which is returned. For developers.',
    args: { input: t.arg({ type: RetryJobInput, required: true, description: 'Names the job to retry.' }) },
    resolve: async (_root, { input }, context) =>
      retryJob(context, await projectHolding(context, 'Job', input), input.id),
  }),
  playJob: t.field({
    type: jobPayload('playJob'),
    description: 'Starts a manual job. For developers.',
    args: { input: t.arg({ type: PlayJobInput, required: true, description: 'Names the job to start.' }) },
    resolve: async (_root, { input }, context) =>
      playJob(context, await projectHolding(context, 'Job', input), input.id),
  }),
  eraseJob: t.field({
    type: jobPayload('eraseJob'),
    description: 'Removes the trace and the artifacts of a finished job. For developers.',
    args: { input: t.arg({ type: EraseJobInput, required: true, description: 'Names the job to erase.' }) },
    resolve: async (_root, { input }, context) =>
      eraseJob(context, await projectHolding(context, 'Job', input), input.id),
  }),
  removeJobArtifacts: t.field({
    type: jobPayload('removeJobArtifacts'),
    description: 'Deletes the artifacts and reports of a job; its log stays. For masters.',
    args: {
      input: t.arg({
        type: RemoveJobArtifactsInput,
        required: true,
        description: 'Names the job whose artifacts to delete.',
      }),
    },
    resolve: async (_root, { input }, context) =>
      removeJobArtifacts(context, await projectHolding(context, 'Job', input), input.id),
  }),
  removeProjectArtifacts: t.field({
    type: RemoveProjectArtifactsPayload,
    description: 'Deletes the artifacts and reports of all jobs of a project that have ended. For masters.',
    args: {
      input: t.arg({
        type: RemoveProjectArtifactsInput,
        required: true,
        description: 'Names the project whose artifacts to delete.',
      }),
    },
    resolve: (_root, { input: { project } }, context) => removeProjectArtifacts(context, project),
  }),
  keepJobArtifacts: t.field({
    type: jobPayload('keepJobArtifacts'),
    description: 'Keeps the artifacts of a job, which would be removed when they expire. For developers.',
    args: {
      input: t.arg({
        type: KeepJobArtifactsInput,
        required: true,
        description: 'Names the job whose artifacts to keep.',
      }),
    },
    resolve: async (_root, { input }, context) =>
      keepArtifacts(context, await projectHolding(context, 'Job', input), input.id),
  }),
}));
