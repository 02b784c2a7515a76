import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { starFilter } from '#schema/filters.ts';
import { GroupConnection } from '#schema/groups/types.ts';
import { idsOf } from '#schema/node/plugin.ts';
import { starOrder } from '#schema/orders.ts';
import { ProjectConnection, projectArgs, projectList } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { listForks } from '#src/domain/projects/forks.ts';
import { listProjectGroups } from '#src/domain/projects/groups.ts';
import { listStarrers } from '#src/domain/projects/starrers.ts';
import { type Language, projectLanguages } from '#src/domain/repository/languages/count.ts';

const ProjectStar = builder.prismaObject('ProjectStar', {
  select: {},
  description: 'A star that a user gave to a project.',
  fields: (t) => ({
    starredSince: t.expose('createdAt', { type: 'DateTime', description: 'When the user starred the project.' }),
    user: t.relation('user', { description: 'The user who starred the project.' }),
  }),
});

const ProjectStarConnection = connectionOf('ProjectStar', ProjectStar);

export const ProjectLanguage = builder.objectRef<Language>('ProjectLanguage').implement({
  description: 'A programming or markup language of the files of a project.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the language, such as `TypeScript`.' }),
    share: t.exposeFloat('share', {
      description: 'Its part of the bytes of all languages, in percent with two decimals.',
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  languages: t.field({
    type: [ProjectLanguage],
    description:
      'The languages of the files on the default branch, the largest first. Without vendored and generated files, prose and data. For callers who can read the repository.',
    resolve: (project, _args, context) => projectLanguages(context, project),
  }),
  forks: t.field({
    type: ProjectConnection,
    description: 'The direct forks of the project that the caller can see.',
    args: projectArgs,
    resolve: (project, args, context, info) =>
      pageBelow('Project', project, args, context, info, (_context, projects, page, selection) =>
        listForks(context, projects, projectList(args), page, selection),
      ),
  }),
  starrers: t.field({
    type: ProjectStarConnection,
    description: 'The stars of the project with the users who gave them, latest first.',
    args: {
      ...pageArgs,
      ...starFilter,
      ...starOrder('CREATED_AT', 'desc'),
      search: t.arg.string({
        description:
          'Only users with this text in name or username, or with this whole e-mail address if it is public.',
      }),
    },
    resolve: (project, args, context, info) =>
      pageBelow('ProjectStar', project, args, context, info, (_context, projects, page, selection) =>
        listStarrers(context, projects, args.search, page, selection),
      ),
  }),
  groups: t.field({
    type: GroupConnection,
    description: 'The groups around the project that the caller can see, by name.',
    args: {
      ...pageArgs,
      search: t.arg.string({ description: 'Only groups with this text in name or path, in any case.' }),
      skipGroups: t.arg({ ...idsOf('Group'), description: 'IDs of groups to leave out of the list.' }),
      withShared: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the groups that the project is shared with are listed, too.',
      }),
      sharedMinAccessLevel: t.arg({
        type: AccessLevel,
        description: 'Of the groups that the project is shared with, only those that get this level or a higher one.',
      }),
    },
    resolve: (project, args, context, info) =>
      pageBelow('Namespace', project, args, context, info, (_context, projects, page, selection) =>
        listProjectGroups(context, projects, args, page, selection),
      ),
  }),
}));
