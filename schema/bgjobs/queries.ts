import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import {
  type DeadJob,
  deadJobs,
  type JobStats,
  jobStats,
  type ProcessMetrics,
  processMetrics,
  type QueueMetrics,
  queueMetrics,
} from '#src/domain/administration/job_metrics.ts';
import { retryDeadJobs } from '#src/domain/administration/server_tools.ts';

const JobQueue = builder.objectRef<QueueMetrics>('JobQueue').implement({
  description: 'A queue of background jobs of the server.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the queue, such as `mail.send`.' }),
    backlog: t.exposeInt('backlog', { description: 'Number of jobs that are ready to run.' }),
    latency: t.exposeInt('latency', { description: 'Seconds that the oldest of these jobs has been waiting.' }),
  }),
});

const JobProcess = builder.objectRef<ProcessMetrics>('JobProcess').implement({
  description: 'A live process that works on background jobs.',
  fields: (t) => ({
    hostname: t.exposeString('hostname', { description: 'Host name of the machine that the process runs on.' }),
    pid: t.exposeInt('pid', { description: 'Process ID on its machine.' }),
    tag: t.exposeString('tag', { description: 'Unique name of the process.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the process was started.' }),
    queues: t.exposeStringList('queues', { description: 'Names of the queues that the process works on.' }),
    labels: t.exposeStringList('labels', {
      description: 'Labels that the process was started with.',
    }),
    concurrency: t.exposeInt('concurrency', { description: 'Number of jobs that the process runs at once, at most.' }),
    busy: t.exposeInt('busy', { description: 'Number of jobs that the process is running now.' }),
  }),
});

const JobStatistics = builder.objectRef<JobStats>('JobStatistics').implement({
  description: 'Totals over all background jobs of the server.',
  fields: (t) => ({
    processed: t.exposeInt('processed', {
      description: 'Number of finished attempts, including failed ones.',
    }),
    failed: t.exposeInt('failed', { description: 'Number of attempts that failed.' }),
    enqueued: t.exposeInt('enqueued', { description: 'Number of jobs that are ready to run.' }),
  }),
});

const DeadJobRecord = builder.objectRef<DeadJob>('DeadJob').implement({
  description: 'A background job that failed as often as it may, and is not run again by itself.',
  fields: (t) => ({
    uuid: t.exposeString('id', { description: 'The ID of the job, a UUID.' }),
    queue: t.exposeString('name', { description: 'Name of the queue that the job was in.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When the job was given up.' }),
    reason: t.exposeString('reason', { description: 'What went wrong the last time, in a line.' }),
  }),
});

const JobMetrics = builder.objectRef<Record<string, never>>('JobMetrics').implement({
  description: 'State of the background jobs of the server.',
  fields: (t) => ({
    queues: t.field({
      type: [JobQueue],
      description: 'All queues of background jobs, by name.',
      resolve: (_metrics, _args, context) => queueMetrics(context),
    }),
    processes: t.field({
      type: [JobProcess],
      description: 'The processes that work on the queues, in order of their start.',
      resolve: (_metrics, _args, context) => processMetrics(context),
    }),
    dead: t.field({
      type: [DeadJobRecord],
      nullable: true,
      description: 'The jobs that were given up, the latest first; at most a hundred. They are kept for 90 days.',
      resolve: (_metrics, _args, context) => deadJobs(context),
    }),
    jobs: t.field({
      type: JobStatistics,
      description: 'Totals over all jobs, kept across restarts.',
      resolve: (_metrics, _args, context) => jobStats(context),
    }),
  }),
});

builder.queryFields((t) => ({
  jobMetrics: t.field({
    type: JobMetrics,
    description: 'State of the background jobs of the server. For administrators.',
    resolve: () => ({}),
  }),
}));

mutation('retryDeadJobs', {
  description: 'Puts background jobs that were given up back into their queues. For administrators.',
  input: {
    description: 'Which of the jobs that were given up run again.',
    argument: 'Names the job, or all.',
    fields: (t) => ({
      uuid: t.string({ description: 'The ID of one job, a UUID; all of them when it is left out.' }),
    }),
  },
  resolve: async ({ uuid }, context) => ({ retried: await retryDeadJobs(context, uuid) }),
  payload: {
    description: 'How many jobs run again.',
    fields: (t) => ({ retried: t.exposeInt('retried', { description: 'Number of jobs that were put back.' }) }),
  },
});
