import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { scheduleFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { scheduleOrder } from '#schema/orders.ts';
import { JobStatus, Pipeline, PipelineConnection, PipelineVariable } from '#schema/pipelines/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { refusalOf } from '#src/access/permissions/actor.ts';
import '#schema/users/types.ts';
import { findPipelinesByIds } from '#src/domain/ci/pipelines/find.ts';
import {
  findSchedule,
  findScheduleVariable,
  listSchedulePipelines,
  listSchedules,
  mayReadVariables,
} from '#src/domain/ci/schedules/list.ts';

const PipelineScheduleStatus = builder.enumType('PipelineScheduleStatus', {
  description: 'Whether a schedule starts pipelines.',
  values: {
    ACTIVE: { value: 'active', description: 'Only schedules that start pipelines.' },
    INACTIVE: { value: 'inactive', description: 'Only schedules that are turned off.' },
  } as const,
});

const SchedulePipelineScope = builder.enumType('SchedulePipelineScope', {
  description: 'Filters the pipelines of a schedule by what they are doing.',
  values: {
    RUNNING: { value: 'running', description: 'Only pipelines that are running.' },
    PENDING: { value: 'pending', description: 'Only pipelines that wait to be run.' },
    FINISHED: { value: 'finished', description: 'Only pipelines that succeeded, failed, or were canceled or skipped.' },
  } as const,
});

const PipelineInput = builder.objectRef<{ name: string; value: unknown }>('PipelineInput').implement({
  description: 'A value that pipelines are given for an input that the file declares.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the input in `spec:inputs`.' }),
    value: t.field({
      type: 'JSON',
      description: 'The value: a text, a number, a boolean or a list.',
      resolve: ({ value }) => value,
    }),
  }),
});

export const PipelineSchedule = builder.prismaObject('PipelineSchedule', {
  description: 'Starts pipelines of a branch or tag at regular times, on behalf of its owner.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the schedule, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('PipelineSchedule', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the schedule, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    description: t.exposeString('description', { description: 'What the schedule is for, as plain text.' }),
    ref: t.exposeString('ref', {
      description: 'The branch or tag in full: `refs/heads/` or `refs/tags/`, and the name.',
    }),
    cron: t.exposeString('cron', {
      description: 'When it starts pipelines: minute, hour, day of the month, month and day of the week.',
    }),
    cronTimezone: t.exposeString('cronTimezone', { description: 'The time zone of `cron`, such as `Europe/Berlin`.' }),
    inputs: t.field({
      type: [PipelineInput],
      description: 'The values that its pipelines are given for the `spec:inputs` of `.gitlab-ci.yml`.',
      select: { inputs: true },
      resolve: ({ inputs }) => Object.entries(inputs as object).map(([name, value]) => ({ name, value })),
    }),
    isActive: t.exposeBoolean('active', {
      description: 'Whether it starts pipelines. It no longer does once its owner may not, or the ref is gone.',
    }),
    nextRunAt: t.expose('nextRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it starts the next pipeline, if it is active; null if there is no such time.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the schedule was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the schedule was last changed.' }),
    owner: t.relation('owner', {
      nullable: true,
      description: 'The user on whose behalf it starts pipelines; null if the user was deleted.',
    }),
    lastPipeline: t.field({
      type: Pipeline,
      nullable: true,
      description: 'The latest pipeline that the schedule started; null before that.',
      select: { lastPipelineId: true },
      resolve: ({ lastPipelineId }, _args, context, info) => {
        if (lastPipelineId === null) return null;
        const selection = selectionAt(info, 'Pipeline');
        return loaderAt(context, info, selection, async (ids: readonly number[]) => {
          const found = await findPipelinesByIds(context, ids, selection, (id) => context.loaders.project.load(id));
          const byId = new Map(found.map((pipeline) => [pipeline.id, pipeline]));
          return ids.map((id) => byId.get(id) ?? null);
        }).load(lastPipelineId);
      },
    }),
    variables: t.field({
      type: [PipelineVariable],
      nullable: true,
      description:
        'The variables that its pipelines are given, in order of creation; null for others than its owner and masters.',
      select: { id: true, projectId: true, ownerId: true },
      resolve: async (schedule, _args, context) => {
        const project = await requireProjectBase(context, schedule.projectId);
        return mayReadVariables(context, project, schedule)
          ? context.loaders.scheduleVariables.load(schedule.id)
          : null;
      },
    }),
    variable: t.field({
      type: PipelineVariable,
      nullable: true,
      description: 'A variable that its pipelines are given, by its key. For its owner and masters.',
      args: { key: t.arg.string({ required: true, description: 'Name of the variable, with exact case.' }) },
      select: { id: true, projectId: true, ownerId: true },
      resolve: async (schedule, { key }, context) => {
        const project = await requireProjectBase(context, schedule.projectId);
        if (!mayReadVariables(context, project, schedule)) throw refusalOf(context.actor);
        return findScheduleVariable(context, schedule.id, key);
      },
    }),
    pipelines: t.field({
      type: PipelineConnection,
      description: 'The pipelines that the schedule started, in the order of their IDs.',
      args: {
        ...pageArgs,
        scope: t.arg({ type: SchedulePipelineScope, description: 'Only pipelines in this scope; all by default.' }),
        status: t.arg({ type: JobStatus, description: 'Only pipelines in this state.' }),
        sort: t.arg({
          type: SortDirection,
          required: true,
          defaultValue: 'asc',
          description: 'Direction of the order.',
        }),
      },
      select: { id: true, projectId: true },
      resolve: async ({ id, projectId }, args, context, info) => {
        const parent = { project: await requireProjectBase(context, projectId), scheduleId: id };
        return pageBelow('Pipeline', parent, args, context, info, (_context, parents, page, selection) =>
          listSchedulePipelines(context, parents, args, page, selection),
        );
      },
    }),
  }),
});

const PipelineScheduleConnection = connectionOf('PipelineSchedule', PipelineSchedule);

builder.objectFields(Project, (t) => ({
  pipelineSchedules: t.field({
    type: PipelineScheduleConnection,
    description: 'The schedules of pipelines of the project, oldest first.',
    args: {
      ...pageArgs,
      ...scheduleFilter,
      ...scheduleOrder('ID', 'asc'),
      status: t.arg({
        type: PipelineScheduleStatus,
        description: 'Only active or only inactive ones; all by default.',
      }),
    },
    resolve: (project, args, context, info) => {
      const isActive = args.status == null ? null : args.status === 'active';
      return pageBelow('PipelineSchedule', project, args, context, info, (_context, projects, page, selection) =>
        listSchedules(context, projects, isActive, page, selection),
      );
    },
  }),
  pipelineSchedule: t.field({
    type: PipelineSchedule,
    nullable: true,
    description: 'A schedule of pipelines of the project, by its ID.',
    args: {
      id: t.arg({ ...idOf('PipelineSchedule'), required: true, description: 'Global or numeric ID of the schedule.' }),
    },
    resolve: (project, { id }, context, info) =>
      findSchedule(context, project, id, selectionAt(info, 'PipelineSchedule')),
  }),
}));
