import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { deprecated } from '#schema/deprecated.ts';
import { SortDirection } from '#schema/enums.ts';
import { runnerFilter, runnerManagerFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { JobConnection } from '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { runnerManagerOrder, runnerOrder } from '#schema/orders.ts';
import { JobStatus } from '#schema/pipelines/types.ts';
import { ProjectConnection } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Runner, RunnerManager, RunnerType } from '#schema/runners/types.ts';
import { ApplicationSettings } from '#schema/settings/types.ts';
import {
  findRunner,
  listGroupRunners,
  listProjectRunners,
  listRunnerJobs,
  listRunnerManagers,
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
    ONLINE: { value: 'online', description: 'Runners that asked for a job within the last two hours.' },
    SPECIFIC: { value: 'specific', description: 'Runners of single projects.' },
    SHARED: { value: 'shared', description: 'Runners for all projects.' },
  } as const,
});

const RunnerStatusFilter = builder.enumType('RunnerStatusFilter', {
  description: 'Which states of runners a list holds.',
  values: {
    ONLINE: { value: 'online', description: 'Runners that were heard of within two hours.' },
    OFFLINE: { value: 'offline', description: 'Runners that were heard of within a week, but not within two hours.' },
    STALE: { value: 'stale', description: 'Runners that were not heard of for a week.' },
    NEVER_CONTACTED: { value: 'never_contacted', description: 'New runners that were not heard of yet.' },
    ACTIVE: { value: 'active', description: 'Runners that get jobs.' },
    PAUSED: { value: 'paused', description: 'Runners that get none.' },
  } as const,
});

const RunnerConnection = connectionOf('Runner', Runner);
const RunnerManagerConnection = connectionOf('RunnerManager', RunnerManager);

const filterArgs = builder.args((t) => ({
  scope: t.field({ type: RunnerScope, description: 'Only such runners; all by default.' }),
  type: t.field({ type: RunnerType, description: 'Only runners of this type.' }),
  status: t.field({ type: RunnerStatusFilter, description: 'Only runners in this state.' }),
  paused: t.boolean({ description: 'Only runners that get no jobs if true, or that get jobs if false.' }),
  tagList: t.stringList({ description: 'Only runners that have all of these tags.' }),
  versionPrefix: t.string({ description: 'Only runners whose version begins like this.' }),
}));

builder.queryFields((t) => ({
  runners: t.field({
    type: RunnerConnection,
    description:
      'The runners of the projects that the caller is a master of, or all runners of the server; in the order in which they were registered.',
    args: {
      ...pageArgs,
      ...runnerFilter,
      ...runnerOrder('ID', 'asc'),
      ...filterArgs,
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
    description:
      'The runners of the project and of its groups, and the shared ones, in the order of registration. For masters.',
    args: { ...pageArgs, ...runnerFilter, ...runnerOrder('ID', 'asc'), ...filterArgs },
    resolve: (project, args, context, info) =>
      pageBelow('Runner', project, args, context, info, (_context, projects, page, selection) =>
        listProjectRunners(context, projects, args, page, selection),
      ),
  }),
}));

builder.objectFields(Group, (t) => ({
  runners: t.field({
    type: RunnerConnection,
    description:
      'The runners of the group and of its parents, and the shared ones, in the order of registration. For owners.',
    args: { ...pageArgs, ...runnerFilter, ...runnerOrder('ID', 'asc'), ...filterArgs },
    resolve: (group, args, context, info) =>
      pageBelow('Runner', group, args, context, info, (_context, groups, page, selection) =>
        listGroupRunners(context, groups, args, page, selection),
      ),
  }),
  runnersToken: t.string({
    nullable: true,
    description: 'The token that runners of the group register with. For owners.',
    resolve: (group, _args, { loaders }) => loaders.groupRunnersToken.load(group),
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
    description: 'All projects that the runner is enabled for and that the caller can see.',
    ...deprecated('Use `projects`.', '0.3.0', '0.5.0'),
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
    args: {
      ...pageArgs,
      status: t.arg({ type: JobStatus, description: 'Only jobs in this state.' }),
      statuses: t.arg({ type: [JobStatus], description: 'Only jobs in one of these states.' }),
      systemId: t.arg.string({ description: 'Only jobs that ran on the machine of this name.' }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Whether the newest come first, or the oldest.',
      }),
    },
    select: { id: true },
    resolve: (runner, args, context, info) =>
      pageBelow('Job', runner, args, context, info, (_context, runners, page, selection) =>
        listRunnerJobs(context, runners, args, page, selection),
      ),
  }),
  managers: t.field({
    type: RunnerManagerConnection,
    description:
      'The machines on which the program of the runner runs, oldest first. For those who see the runner in full.',
    args: { ...pageArgs, ...runnerManagerFilter, ...runnerManagerOrder('ID', 'asc') },
    select: { id: true, isShared: true },
    resolve: (runner, args, context, info) =>
      pageBelow('RunnerManager', runner, args, context, info, listRunnerManagers),
  }),
  groups: t.field({
    type: [Group],
    description: 'The group whose projects the runner runs jobs of, if the caller can see it; empty for other runners.',
    select: { groupId: true },
    resolve: async ({ groupId }, _args, { loaders }) => {
      const group = groupId === null ? null : await loaders.group.load(groupId);
      return group ? [group] : [];
    },
  }),
}));

builder.objectFields(ApplicationSettings, (t) => ({
  registrationToken: t.string({
    description: 'The token that shared runners register with.',
    resolve: (_settings, _args, context) => readRegistrationToken(context),
  }),
}));
