import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { pipelinePayload } from '#schema/pipelines/payloads.ts';
import { PipelineVariable } from '#schema/pipelines/types.ts';
import { fromProject } from '#schema/places/parents.ts';
import { PipelineSchedule } from '#schema/schedules/types.ts';
import { VariableType } from '#schema/variables/variable_type.ts';
import type { GivenVariable } from '#src/domain/ci/pipelines/given_variables.ts';
import { changedSchedule } from '#src/domain/ci/schedules/list.ts';
import { createSchedule, deleteSchedule, takeSchedule, updateSchedule } from '#src/domain/ci/schedules/save.ts';
import { playSchedule } from '#src/domain/ci/schedules/start.ts';
import {
  createScheduleVariable,
  deleteScheduleVariable,
  updateScheduleVariable,
} from '#src/domain/ci/schedules/variables.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const which = (t: InputFields) => ({
  project: holderField(t, 'schedule'),
  id: t.field({
    ...idOf('PipelineSchedule'),
    required: true,
    description: 'Global or numeric ID of the schedule.',
  }),
});

const TEXTS = {
  description: 'What the schedule is for, of at most 255 characters.',
  ref: 'Name of the branch or tag; in full, with `refs/heads/` or `refs/tags/`, if both have the name.',
  cron: 'Minute, hour, day of the month, month and day of the week: `30 4 * * 1-5`; or a word such as `@daily`.',
  inputs: 'Values of the `spec:inputs` of `.gitlab-ci.yml`; others that the schedule has stay.',
  cronTimezone: 'The time zone of `cron`: a name such as `Europe/Berlin`.',
};

const PipelineScheduleInputValue = builder.inputType('PipelineScheduleInputValue', {
  description: 'The value of an input of the pipelines of a schedule.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the input in `spec:inputs`.' }),
    value: t.field({ type: 'JSON', description: 'The value: a text, a number, a boolean or a list.' }),
    destroy: t.boolean({ description: 'Whether the value that the schedule has is removed.' }),
  }),
});

const whichVariable = (t: InputFields) => ({
  ...which(t),
  key: t.string({ required: true, description: 'Name of the variable: letters, digits and `_`; at most 255.' }),
});

const schedulePayload: Payload<ChangedRecord> = changed(
  'pipelineSchedule',
  PipelineSchedule,
  'PipelineSchedule',
  changedSchedule,
  'schedule',
);

function variablePayload(description: string): Payload<{ variable: GivenVariable }> {
  return {
    description,
    fields: (t) => ({ variable: t.expose('variable', { type: PipelineVariable, description }) }),
  };
}

mutation('createPipelineSchedule', {
  description:
    'Creates a schedule, which starts pipelines on behalf of the caller. For developers who can push or merge to the branch, or create the tag.',
  input: {
    description: 'A new schedule of the caller.',
    argument: 'The schedule to create.',
    fields: (t) => ({
      project: projectField(t, 'whose pipelines the schedule starts'),
      description: t.string({ required: true, description: TEXTS.description }),
      ref: t.string({ required: true, description: TEXTS.ref }),
      cron: t.string({ required: true, description: TEXTS.cron }),
      cronTimezone: t.string({ description: `${TEXTS.cronTimezone} \`UTC\` when left out.` }),
      isActive: t.boolean({ description: 'Whether it starts pipelines; true when left out.' }),
      inputs: t.field({ type: [PipelineScheduleInputValue], description: TEXTS.inputs }),
    }),
  },
  resolve: ({ project, ...input }, context) => createSchedule(context, project, input),
  payload: schedulePayload,
});

mutation('updatePipelineSchedule', {
  description: 'Changes a schedule. For its owner.',
  input: {
    description: 'Changes to a schedule. What is left out stays as it is.',
    argument: 'The schedule and the changes.',
    fields: (t) => ({
      ...which(t),
      description: t.string({ description: TEXTS.description }),
      ref: t.string({ description: TEXTS.ref }),
      cron: t.string({ description: TEXTS.cron }),
      cronTimezone: t.string({ description: TEXTS.cronTimezone }),
      isActive: t.boolean({ description: 'Whether the schedule starts pipelines.' }),
      inputs: t.field({ type: [PipelineScheduleInputValue], description: TEXTS.inputs }),
    }),
  },
  resolve: async (input, context) =>
    updateSchedule(context, await projectHolding(context, 'PipelineSchedule', input), input.id, input),
  payload: schedulePayload,
});

mutation('takePipelineScheduleOwnership', {
  description: 'Makes the caller the owner of a schedule, which then starts pipelines on their behalf. For masters.',
  input: {
    description: 'Which schedule to take ownership of.',
    argument: 'Names the schedule to take over.',
    fields: which,
  },
  resolve: async (input, context) =>
    takeSchedule(context, await projectHolding(context, 'PipelineSchedule', input), input.id),
  payload: schedulePayload,
});

mutation('playPipelineSchedule', {
  description:
    'Starts a pipeline of a schedule at once, on behalf of the caller. For developers who can push or merge to the branch, or create the tag.',
  input: { description: 'Which schedule to play.', argument: 'Names the schedule to play.', fields: which },
  resolve: async (input, context) =>
    playSchedule(context, await projectHolding(context, 'PipelineSchedule', input), input.id),
  payload: pipelinePayload,
});

mutation('deletePipelineSchedule', {
  description: 'Deletes a schedule; pipelines that it started are kept. For its owner and masters.',
  input: { description: 'Which schedule to delete.', argument: 'Names the schedule to delete.', fields: which },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'PipelineSchedule', input);
    return { ...(await deleteSchedule(context, project, input.id)), project };
  },
  payload: { ...deleted('PipelineSchedule', 'schedule'), from: fromProject },
});

mutation('createPipelineScheduleVariable', {
  description: 'Gives the pipelines of a schedule a variable. For the owner of the schedule.',
  input: {
    description: 'A variable that the pipelines of a schedule are given.',
    argument: 'The schedule and the variable.',
    fields: (t) => ({
      ...whichVariable(t),
      value: t.string({ required: true, description: 'The text that jobs get. Stored encrypted.' }),
      type: t.field({
        type: VariableType,
        description: 'How jobs get the value; as an environment variable when left out.',
      }),
      isRaw: t.boolean({ description: 'Whether variables in the value stay as they are. False when left out.' }),
    }),
  },
  resolve: async ({ type, ...input }, context) => ({
    variable: await createScheduleVariable(context, await projectHolding(context, 'PipelineSchedule', input), {
      ...input,
      isFile: type && type === 'file',
    }),
  }),
  payload: variablePayload('The variable as it was created.'),
});

mutation('updatePipelineScheduleVariable', {
  description: 'Changes a variable of a schedule. For the owner of the schedule.',
  input: {
    description: 'Changes to a variable of a schedule. What is left out stays as it is.',
    argument: 'Names the variable, and the changes.',
    fields: (t) => ({
      ...whichVariable(t),
      value: t.string({ description: 'The text that jobs get. Stored encrypted.' }),
      type: t.field({ type: VariableType, description: 'How jobs get the value.' }),
      isRaw: t.boolean({ description: 'Whether variables in the value stay as they are.' }),
    }),
  },
  resolve: async ({ type, ...input }, context) => ({
    variable: await updateScheduleVariable(context, await projectHolding(context, 'PipelineSchedule', input), {
      ...input,
      isFile: type && type === 'file',
    }),
  }),
  payload: variablePayload('The variable as it is now.'),
});

mutation('deletePipelineScheduleVariable', {
  description: 'Deletes a variable of a schedule. For the owner of the schedule.',
  input: {
    description: 'Which variable of a schedule to delete.',
    argument: 'Names the variable to delete.',
    fields: whichVariable,
  },
  resolve: async (input, context) => ({
    variable: await deleteScheduleVariable(context, await projectHolding(context, 'PipelineSchedule', input), input),
  }),
  payload: {
    description: 'The variable of a schedule that was deleted.',
    fields: (t) => ({
      deletedPipelineScheduleVariableKey: t.string({
        description: 'Key of the variable that was deleted.',
        resolve: ({ variable }) => variable.key,
      }),
      variable: t.expose('variable', { type: PipelineVariable, description: 'The variable as it was before.' }),
    }),
  },
});
