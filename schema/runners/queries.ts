import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { JobConnection } from '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { ProjectConnection } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Runner } from '#schema/runners/types.ts';
import { ApplicationSettings } from '#schema/settings/types.ts';
import {
  findRunner,
  listProjectRunners,
  listRunnerJobs,
  listRunnerProjects,
  listRunners,
} from '#src/domain/ci/runners/list.ts';
import { readRegistrationToken } from '#src/domain/ci/runners/registration.ts';
import { ALL_PROJECTS } from '#src/domain/projects/of_group.ts';

const RunnerScope = builder.enumType('RunnerScope', {
  description: 'Which runners a list holds.',
  values: {
    ACTIVE: { value: 'active', description: 'Runners that get jobs.' },
    PAUSED: { value: 'paused', description: 'Runners that get none.' },
    ONLINE: { value: 'online', description: 'Runners that asked for a job within the last hour.' },
    SPECIFIC: { value: 'specific', description: 'Runners of single projects.' },
    SHARED: { value: 'shared', description: 'Runners for all projects.' },
  } as const,
});

const RunnerConnection = connectionOf('Runner', Runner);

builder.queryFields((t) => ({
  runners: t.field({
    type: RunnerConnection,
    description:
      'The runners of the projects that the caller is a master of, or all runners of the server; in the order in which they were registered.',
    args: {
      ...pageArgs,
      scope: t.arg({ type: RunnerScope, description: 'Only such runners; all by default.' }),
      all: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether all runners of the server are listed. For administrators.',
      }),
    },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listRunners(context, args, page, selectionAt(info, 'Runner'))),
  }),
  runner: t.field({
    type: Runner,
    description:
      'A runner by its ID: a shared one, one of a project that the caller is a master of, or for administrators any.',
    args: { id: t.arg({ ...idOf('Runner'), required: true, description: 'Global or numeric ID of the runner.' }) },
    resolve: (_root, { id }, context, info) => findRunner(context, id, selectionAt(info, 'Runner')),
  }),
}));

builder.objectFields(Project, (t) => ({
  runners: t.field({
    type: RunnerConnection,
    description: 'The runners of the project and the shared ones, in the order of registration. For masters.',
    args: { ...pageArgs, scope: t.arg({ type: RunnerScope, description: 'Only such runners; all by default.' }) },
    resolve: (project, args, context, info) =>
      pageBelow('Runner', project, args, context, info, (_context, projects, page, selection) =>
        listProjectRunners(context, projects, args.scope, page, selection),
      ),
  }),
}));

builder.prismaObjectFields(Runner, (t) => ({
  projects: t.field({
    type: ProjectConnection,
    description:
      'The projects that the runner is enabled for and that the caller can see, oldest first. Shared runners have none.',
    args: pageArgs,
    select: { id: true },
    resolve: (runner, args, context, info) => pageBelow('Project', runner, args, context, info, listRunnerProjects),
  }),
  allProjects: t.field({
    type: [Project],
    description: 'All projects that the runner is enabled for and that the caller can see. Prefer `projects`.',
    select: { id: true },
    resolve: (runner, _args, context, info) => {
      const selection = selectionAt(info, 'Project');
      // A shared runner may be in the lists of many projects: each is loaded once.
      const load = async (ids: readonly number[]) => {
        const runners = ids.map((id) => ({ id }));
        return (await listRunnerProjects(context, runners, ALL_PROJECTS.page, selection)).map(({ nodes }) => nodes);
      };
      return loaderAt(context, info, selection, load).load(runner.id);
    },
  }),
  jobs: t.field({
    type: JobConnection,
    description: 'The jobs that the runner runs or ran and that the caller can see, newest first.',
    args: pageArgs,
    select: { id: true },
    resolve: (runner, args, context, info) => pageBelow('Job', runner, args, context, info, listRunnerJobs),
  }),
}));

builder.objectFields(ApplicationSettings, (t) => ({
  registrationToken: t.string({
    description: 'The token that shared runners register with.',
    resolve: (_settings, _args, context) => readRegistrationToken(context),
  }),
}));
