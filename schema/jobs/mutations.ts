import { builder } from '#schema/builder.ts';
import { holderField, namesOf } from '#schema/inputs.ts';
import { Job } from '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { keepArtifacts } from '#src/domain/ci/artifacts/keep.ts';
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

const CancelJobInput = jobInput('cancelJob', 'Which job to cancel.');
const RetryJobInput = jobInput('retryJob', 'Which job to retry.');
const PlayJobInput = jobInput('playJob', 'Which manual job to start.');
const EraseJobInput = jobInput('eraseJob', 'Which job to erase.');
const KeepJobArtifactsInput = jobInput('keepJobArtifacts', 'Which job’s artifacts to keep.');

builder.mutationFields((t) => ({
  cancelJob: t.field({
    type: jobPayload('cancelJob'),
    description: 'Cancels a job. Finished jobs do not change. For developers.',
    args: { input: t.arg({ type: CancelJobInput, required: true, description: 'Names the job to cancel.' }) },
    resolve: async (_root, { input }, context) =>
      cancelJob(context, await projectHolding(context, 'Job', input), input.id),
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
