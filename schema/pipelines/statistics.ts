import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import {
  type Interval,
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

builder.objectFields(Project, (t) => ({
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
