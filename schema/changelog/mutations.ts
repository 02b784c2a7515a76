import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { Repository } from '#schema/repository/types.ts';
import { addChangelog } from '#src/domain/tracking/changelog/add.ts';
import { generateChangelog } from '#src/domain/tracking/changelog/generate.ts';

const VERSION = 'The version that the section is about: a semantic version.';
const FROM = 'The branch, tag or hash behind which the changes begin; the tag of the version before when left out.';
const TO = 'The branch, tag or hash with which the changes end; the default branch when left out.';
const DATE = 'When the version was released; now when left out.';
const TRAILER = 'The trailer of the commits that are listed; `Changelog` when left out.';
const CONFIG = 'Path of the configuration; `.gitlab/changelog_config.yml` when left out.';
const CONFIG_REF = 'The branch, tag or hash from which the configuration is read; the default branch when left out.';

builder.objectFields(Repository, (t) => ({
  changelog: t.string({
    nullable: true,
    description:
      'A section of a changelog in Markdown: the commits of a range that have a trailer, by its values. For callers who can read commits.',
    args: {
      version: t.arg.string({ required: true, description: VERSION }),
      fromRef: t.arg.string({ description: FROM }),
      toRef: t.arg.string({ description: TO }),
      date: t.arg({ type: 'DateTime', description: DATE }),
      trailer: t.arg.string({ description: TRAILER }),
      configFile: t.arg.string({ description: CONFIG }),
      configFileRef: t.arg.string({ description: CONFIG_REF }),
    },
    resolve: (project, args, context) => generateChangelog(context, project, args, context.baseUrl),
  }),
}));

mutation('addChangelog', {
  description: 'Commits a new section at the top of a changelog. For developers; on protected branches, for masters.',
  input: {
    description: 'A section to add to the changelog in a repository.',
    argument: 'Says what the section is about.',
    fields: (t) => ({
      project: projectField(t, 'of the repository'),
      version: t.string({ required: true, description: VERSION }),
      fromRef: t.string({ description: FROM }),
      toRef: t.string({ description: TO }),
      date: t.field({ type: 'DateTime', description: DATE }),
      trailer: t.string({ description: TRAILER }),
      configFile: t.string({ description: CONFIG }),
      configFileRef: t.string({ description: CONFIG_REF }),
      branch: t.string({ description: 'Name of the branch that gets the commit; the default branch when left out.' }),
      file: t.string({
        description: 'Path of the changelog, which is created if needed; `CHANGELOG.md` when left out.',
      }),
      message: t.string({ description: 'Message of the commit; it names the version when left out.' }),
    }),
  },
  resolve: async ({ project, ...wish }, context) => ({
    commit: await addChangelog(context, project, wish, context.baseUrl),
  }),
  payload: {
    description: 'The commit that was created.',
    fields: (t) => ({ commit: t.expose('commit', { type: Commit, description: 'The commit with the section.' }) }),
  },
});
