import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import {
  type Interval,
  type JobStatistics as JobsOfName,
  jobStatistics,
  pipelineStatistics,
  type PipelineStatistics as Statistics,
} from '#src/domain/ci/pipelines/statistics.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

const PipelineInterval = builder.enumType('PipelineInterval', {
  description: 'The spans of time in which pipelines are counted.',
  values: {
    DAY: { value: 'day', description: 'The last 30 days, one by one.' },
    WEEK: { value: 'week', description: 'The last 13 weeks, which begin on Monday.' },
    MONTH: { value: 'month', description: 'The last 12 months, one by one.' },
  } satisfies Record<string, { value: Interval; description: string }>,
});

const PipelineStatistics = builder.objectRef<Statistics>('PipelineStatistics').implement({
  description: 'How the pipelines ended that were created within a span of time, without child pipelines.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'When the span begins, at midnight in UTC.' }),
    totalCount: t.exposeInt('totalCount', { description: 'How many pipelines were created.' }),
    successCount: t.exposeInt('successCount', { description: 'How many of them succeeded.' }),
    failedCount: t.exposeInt('failedCount', { description: 'How many of them failed.' }),
    medianDuration: t.exposeFloat('medianDuration', {
      nullable: true,
      description: 'Median duration of those that succeeded or failed, in seconds; null without any.',
    }),
  }),
});

const JobStatistics = builder.objectRef<JobsOfName>('JobNameStatistics').implement({
  description: 'How the jobs of a name ended, and how long they took.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the jobs are called in their pipelines.' }),
    totalCount: t.exposeInt('totalCount', { description: 'How many of them finished.' }),
    failedCount: t.exposeInt('failedCount', { description: 'How many of them failed.' }),
    medianDuration: t.exposeFloat('medianDuration', {
      nullable: true,
      description: 'Median duration of those that succeeded or failed, in seconds; null without any.',
    }),
    totalDuration: t.exposeFloat('totalDuration', { description: 'How long all of them took together, in seconds.' }),
  }),
});

builder.objectFields(Project, (t) => ({
  jobStatistics: t.field({
    type: [JobStatistics],
    description:
      'The jobs of the latest pipelines by their names: the 50 names that took most time, in up to 1,000 pipelines.',
    args: {
      interval: t.arg({
        type: PipelineInterval,
        required: true,
        defaultValue: 'week',
        description: 'How far back pipelines count.',
      }),
    },
    resolve: (project, { interval }, context, info) =>
      loaderAt(context, info, { key: interval }, (projects: readonly ProjectRow[]) =>
        jobStatistics(context, projects, interval),
      ).load(project),
  }),
  pipelineStatistics: t.field({
    type: [PipelineStatistics],
    description: 'How the latest pipelines of the project ended, and how long they took, oldest span first.',
    args: {
      interval: t.arg({
        type: PipelineInterval,
        required: true,
        defaultValue: 'week',
        description: 'The spans in which pipelines are counted.',
      }),
    },
    resolve: (project, { interval }, context, info) =>
      loaderAt(context, info, { key: interval }, (projects: readonly ProjectRow[]) =>
        pipelineStatistics(context, projects, interval),
      ).load(project),
  }),
}));
