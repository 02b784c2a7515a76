import { builder } from '#schema/builder.ts';
import {
  type JobStats,
  jobStats,
  type ProcessMetrics,
  processMetrics,
  type QueueMetrics,
  queueMetrics,
} from '#src/bgjobs/metrics.ts';

const JobQueue = builder.objectRef<QueueMetrics>('JobQueue').implement({
  description: 'A queue of background jobs.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    backlog: t.exposeInt('backlog', { description: 'How many jobs could run now and do not yet.' }),
    latency: t.exposeInt('latency', { description: 'Seconds that the oldest of them has been waiting.' }),
  }),
});

const JobProcess = builder.objectRef<ProcessMetrics>('JobProcess').implement({
  description: 'A live process that works on background jobs.',
  fields: (t) => ({
    hostname: t.exposeString('hostname', { description: 'Where it runs.' }),
    pid: t.exposeInt('pid', { description: 'Its number there.' }),
    tag: t.exposeString('tag', { description: 'What it is called.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    queues: t.exposeStringList('queues', { description: 'The queues that it works on.' }),
    labels: t.exposeStringList('labels', { description: 'What it was given to be told apart by.' }),
    concurrency: t.exposeInt('concurrency', { description: 'How many jobs it works on at once, at most.' }),
    busy: t.exposeInt('busy', { description: 'How many it is working on.' }),
  }),
});

const JobStatistics = builder.objectRef<JobStats>('JobStatistics').implement({
  description: 'Background jobs in all.',
  fields: (t) => ({
    processed: t.exposeInt('processed', { description: 'Attempts that came to an end, failed ones too.' }),
    failed: t.exposeInt('failed', { description: 'Attempts that failed.' }),
    enqueued: t.exposeInt('enqueued', { description: 'Jobs that could run now and do not yet.' }),
  }),
});

const JobMetrics = builder.objectRef<Record<string, never>>('JobMetrics').implement({
  description: 'How the background jobs are doing.',
  fields: (t) => ({
    queues: t.field({
      type: [JobQueue],
      description: 'Every queue, by name.',
      resolve: (_metrics, _args, context) => queueMetrics(context),
    }),
    processes: t.field({
      type: [JobProcess],
      description: 'The processes that work on them, in the order of their starts.',
      resolve: (_metrics, _args, context) => processMetrics(context),
    }),
    jobs: t.field({
      type: JobStatistics,
      description: 'Totals, which outlive every process.',
      resolve: (_metrics, _args, context) => jobStats(context),
    }),
  }),
});

builder.queryFields((t) => ({
  jobMetrics: t.field({
    type: JobMetrics,
    description: 'How the background jobs are doing, for administrators.',
    resolve: () => ({}),
  }),
}));
