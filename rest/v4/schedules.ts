import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const LIST = '/projects/:id/pipeline_schedules';
const ONE = `${LIST}/:pipeline_schedule_id`;
const VARIABLES = `${ONE}/variables`;

const common = {
  notFound: {
    PipelineSchedule: '404 Pipeline Schedule Not Found',
    PipelineScheduleVariable: '404 Pipeline Schedule Variable Not Found',
  },
} as const;
/** Who may not know the variables gets none. */
const record = { ...common, omitNull: ['variables'] } as const;

export const schedules: Route[] = [
  {
    method: 'GET',
    path: LIST,
    operation: operations.ProjectSchedulesDocument,
    result: 'project.pipelineSchedules',
  },
  {
    method: 'GET',
    path: ONE,
    operation: operations.ProjectScheduleDocument,
    result: 'project.pipelineSchedule',
    ...record,
  },
  {
    method: 'POST',
    path: LIST,
    ...mutation('CreateSchedule', 'createPipelineSchedule.pipelineSchedule', '...ScheduleWithVariables'),
    required: ['description', 'ref', 'cron'],
    names: { is_active: 'active' },
    ...record,
  },
  {
    method: 'PUT',
    path: ONE,
    ...mutation('UpdateSchedule', 'updatePipelineSchedule.pipelineSchedule', '...ScheduleWithVariables'),
    names: { is_active: 'active' },
    ...record,
  },
  {
    method: 'POST',
    path: `${ONE}/take_ownership`,
    ...mutation('TakeScheduleOwnership', 'takePipelineScheduleOwnership.pipelineSchedule', '...ScheduleWithVariables'),
    ...record,
  },
  {
    method: 'POST',
    path: `${ONE}/play`,
    operation: operations.PlayScheduleDocument,
    result: 'playPipelineSchedule.pipeline',
    body: { message: '201 Created' },
    ...common,
  },
  {
    method: 'DELETE',
    path: ONE,
    ...mutation('DeleteSchedule', 'deletePipelineSchedule', 'deletedPipelineScheduleId'),
    status: 204,
    ...common,
  },
  {
    method: 'GET',
    path: `${ONE}/pipelines`,
    operation: operations.SchedulePipelinesDocument,
    result: 'project.pipelineSchedule.pipelines',
    ...common,
  },
  {
    method: 'POST',
    path: VARIABLES,
    ...mutation('CreateScheduleVariable', 'createPipelineScheduleVariable.variable', '...PipelineVariableRecord'),
    names: { type: 'variable_type' },
    hidden: ['is_raw'],
    ...common,
  },
  {
    method: 'GET',
    path: `${VARIABLES}/:key`,
    operation: operations.ScheduleVariableDocument,
    result: 'project.pipelineSchedule.variable',
    ...common,
  },
  {
    method: 'PUT',
    path: `${VARIABLES}/:key`,
    ...mutation('UpdateScheduleVariable', 'updatePipelineScheduleVariable.variable', '...PipelineVariableRecord'),
    names: { type: 'variable_type' },
    hidden: ['is_raw'],
    ...common,
  },
  {
    method: 'DELETE',
    path: `${VARIABLES}/:key`,
    ...mutation('DeleteScheduleVariable', 'deletePipelineScheduleVariable.variable', '...PipelineVariableRecord'),
    status: 202,
    ...common,
  },
];
