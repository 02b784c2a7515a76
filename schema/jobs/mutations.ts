import { builder } from '#schema/builder.ts';
import { Job } from '#schema/jobs/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { cancelJob, eraseJob, playJob, retryJob } from '#src/jobs/change.ts';
import { changedJob } from '#src/jobs/list.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const JobInput = builder.inputType('JobInput', {
  description: 'Which job.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID.' }),
  }),
});

const JobPayload = builder.objectRef<ChangedRecord>('JobPayload').implement({
  description: 'The job as it is now.',
  fields: (t) => ({
    job: t.field({
      type: Job,
      description: 'The job.',
      resolve: (changed, _args, context, info) => changedJob(context, changed, selectionAt(info, 'Job')),
    }),
  }),
});

builder.mutationFields((t) => ({
  cancelJob: t.field({
    type: JobPayload,
    description: 'Cancels a job; one that has finished stays as it is.',
    args: { input: t.arg({ type: JobInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => cancelJob(context, project, databaseId),
  }),
  retryJob: t.field({
    type: JobPayload,
    description: 'Queues a finished job again, as a new one, which is answered with.',
    args: { input: t.arg({ type: JobInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => retryJob(context, project, databaseId),
  }),
  playJob: t.field({
    type: JobPayload,
    description: 'Starts a job that waits for somebody to start it.',
    args: { input: t.arg({ type: JobInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => playJob(context, project, databaseId),
  }),
  eraseJob: t.field({
    type: JobPayload,
    description: 'Removes what a finished job printed and left.',
    args: { input: t.arg({ type: JobInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, databaseId } }, context) => eraseJob(context, project, databaseId),
  }),
}));
