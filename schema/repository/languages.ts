import { builder } from '#schema/builder.ts';
import { ProjectLanguage } from '#schema/projects/lists.ts';
import { Repository } from '#schema/repository/types.ts';
import {
  type LanguageHistory as LanguageHistoryRow,
  type LanguagesAt as LanguagesAtRow,
  languagesOverTime,
} from '#src/domain/repository/languages/over_time.ts';

const LanguagesAt = builder.objectRef<LanguagesAtRow>('LanguagesAt').implement({
  description: 'The languages of a project as it was.',
  fields: (t) => ({
    at: t.expose('at', {
      type: 'DateTime',
      description: 'The time: the beginning of a month in UTC, or of the present day.',
    }),
    commitSha: t.expose('commitSha', { type: 'Sha', description: 'The newest commit of the default branch by then.' }),
    languages: t.expose('languages', {
      type: [ProjectLanguage],
      description: 'The languages of its files, the largest first; at most 20.',
    }),
  }),
});

const LanguageHistory = builder.objectRef<LanguageHistoryRow>('LanguageHistory').implement({
  description: 'The languages of a project over time.',
  fields: (t) => ({
    points: t.expose('points', {
      type: [LanguagesAt],
      description: 'The languages at up to 13 points in time, oldest first; the last one is the present.',
    }),
    isPartial: t.exposeBoolean('isPartial', {
      description: 'Whether points are missing that are not counted yet. They are counted when somebody asks again.',
    }),
  }),
});

builder.objectField(Repository, 'languageHistory', (t) =>
  t.field({
    type: LanguageHistory,
    nullable: true,
    description:
      'The languages of the default branch over time. Null for an empty repository, on servers without git, and for a history of more than some 300,000 commits.',
    resolve: (project, _args, context) => languagesOverTime(context, project),
  }),
);
