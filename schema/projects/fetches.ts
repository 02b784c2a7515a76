import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { type DayOfFetches, requireFetchStatistics } from '#src/domain/repository/fetches.ts';

const FetchesOfDay = builder.objectRef<DayOfFetches>('FetchesOfDay').implement({
  description: 'How often the repository of a project was fetched or cloned on a day.',
  fields: (t) => ({
    date: t.field({ type: 'Date', description: 'The day, in UTC.', resolve: ({ date }) => date }),
    count: t.exposeInt('count', { description: 'How often, over HTTP and SSH.' }),
  }),
});

const FetchStatistics = builder.objectRef<DayOfFetches[]>('FetchStatistics').implement({
  description: 'How often the repository of a project was fetched or cloned in the last 30 days.',
  fields: (t) => ({
    total: t.int({
      description: 'How often in all of these days.',
      resolve: (days) => days.reduce((sum, { count }) => sum + count, 0),
    }),
    days: t.field({
      type: [FetchesOfDay],
      description: 'The days on which it was fetched, latest first.',
      resolve: (days) => days,
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  fetchStatistics: t.field({
    type: FetchStatistics,
    nullable: true,
    description: 'How often the repository was fetched or cloned in the last 30 days. For developers.',
    resolve: (project, _args, context) => {
      requireFetchStatistics(context, project);
      return context.loaders.fetches.load(project.id);
    },
  }),
}));
