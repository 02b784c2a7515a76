import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { Job } from '#schema/jobs/types.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { keepArtifacts } from '#src/domain/ci/artifacts/keep.ts';
import { removeJobArtifacts, removeProjectArtifacts } from '#src/domain/ci/artifacts/remove.ts';
import { cancelJob, eraseJob, playJob, retryJob } from '#src/domain/ci/jobs/change.ts';
import { changedJob } from '#src/domain/ci/jobs/list.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const which = (t: InputFields) => ({
  project: holderField(t, 'job'),
  id: t.field({ ...idOf('Job'), required: true, description: 'Global or numeric ID of the job.' }),
});

const jobPayload: Payload<ChangedRecord> = changed('job', Job, 'Job', changedJob);

mutation('cancelJob', {
  description: 'Cancels a job. Finished jobs do not change. For developers.',
  input: {
    description: 'Which job to cancel.',
    argument: 'Names the job to cancel.',
    fields: (t) => ({
      ...which(t),
      force: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether a job that its runner still ends is over at once. For masters.',
      }),
    }),
  },
  resolve: async (input, context) =>
    cancelJob(context, await projectHolding(context, 'Job', input), input.id, input.force),
  payload: jobPayload,
});

mutation('retryJob', {
  description: 'Retries a finished job as a new job, which is returned. For developers.',
  input: { description: 'Which job to retry.', argument: 'Names the job to retry.', fields: which },
  resolve: async (input, context) => retryJob(context, await projectHolding(context, 'Job', input), input.id),
  payload: jobPayload,
});

mutation('playJob', {
  description: 'Starts a manual job. For developers.',
  input: { description: 'Which manual job to start.', argument: 'Names the job to start.', fields: which },
  resolve: async (input, context) => playJob(context, await projectHolding(context, 'Job', input), input.id),
  payload: jobPayload,
});

mutation('eraseJob', {
  description: 'Removes the trace and the artifacts of a finished job. For developers.',
  input: { description: 'Which job to erase.', argument: 'Names the job to erase.', fields: which },
  resolve: async (input, context) => eraseJob(context, await projectHolding(context, 'Job', input), input.id),
  payload: jobPayload,
});

mutation('removeJobArtifacts', {
  description: 'Deletes the artifacts and reports of a job; its log stays. For masters.',
  input: {
    description: 'Which job’s artifacts to delete.',
    argument: 'Names the job whose artifacts to delete.',
    fields: which,
  },
  resolve: async (input, context) => removeJobArtifacts(context, await projectHolding(context, 'Job', input), input.id),
  payload: jobPayload,
});

mutation('removeProjectArtifacts', {
  description: 'Deletes the artifacts and reports of all jobs of a project that have ended. For masters.',
  input: {
    description: 'Which project’s artifacts to delete.',
    argument: 'Names the project whose artifacts to delete.',
    fields: (t) => ({ project: projectField(t, 'whose artifacts are deleted') }),
  },
  resolve: ({ project }, context) => removeProjectArtifacts(context, project),
  payload: {
    description: 'The project whose artifacts are being deleted.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description: 'The project, whose artifacts are gone a little later.',
        resolve: ({ id }, _args, context, info) => requireProject(context, info, id),
      }),
    }),
  },
});

mutation('keepJobArtifacts', {
  description: 'Keeps the artifacts of a job, which would be removed when they expire. For developers.',
  input: {
    description: 'Which job’s artifacts to keep.',
    argument: 'Names the job whose artifacts to keep.',
    fields: which,
  },
  resolve: async (input, context) => keepArtifacts(context, await projectHolding(context, 'Job', input), input.id),
  payload: jobPayload,
});
