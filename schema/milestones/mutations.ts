import { builder } from '#schema/builder.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findMilestone } from '#src/milestones/list.ts';
import { createMilestone, updateMilestone } from '#src/milestones/save.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const MilestoneStateEvent = builder.enumType('MilestoneStateEvent', {
  description: 'What to do with a milestone.',
  values: {
    CLOSE: { value: 'close', description: 'Close it.' },
    ACTIVATE: { value: 'activate', description: 'Aim at it again.' },
  } as const,
});

const CreateMilestoneInput = builder.inputType('CreateMilestoneInput', {
  description: 'A new milestone.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    title: t.string({ required: true, description: 'Unique within the project.' }),
    description: t.string({ description: 'Markdown.' }),
    startDate: t.field({ type: 'Date', description: 'First day; before the last.' }),
    dueDate: t.field({ type: 'Date', description: 'Last day.' }),
  }),
});

const UpdateMilestoneInput = builder.inputType('UpdateMilestoneInput', {
  description: 'Changes to a milestone: unset means unchanged, null cleared.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    databaseId: t.int({ required: true, description: 'Numeric ID of the milestone.' }),
    title: t.string({ description: 'Unique within the project.' }),
    description: t.string({ description: 'Markdown.' }),
    startDate: t.field({ type: 'Date', description: 'First day; before the last.' }),
    dueDate: t.field({ type: 'Date', description: 'Last day.' }),
    stateEvent: t.field({ type: MilestoneStateEvent, description: 'Close or activate it.' }),
  }),
});

const MilestonePayload = builder.objectRef<ChangedRecord>('MilestonePayload').implement({
  description: 'The milestone as it is now.',
  fields: (t) => ({
    milestone: t.field({
      type: Milestone,
      description: 'The milestone.',
      resolve: ({ project, id }, _args, context, info) =>
        findMilestone(context, project, id, selectionAt(info, 'Milestone')),
    }),
  }),
});

builder.mutationFields((t) => ({
  createMilestone: t.field({
    type: MilestonePayload,
    description: 'Creates a milestone.',
    args: { input: t.arg({ type: CreateMilestoneInput, required: true, description: 'The new milestone.' }) },
    resolve: (_root, { input: { project, ...values } }, context) => createMilestone(context, project, values),
  }),
  updateMilestone: t.field({
    type: MilestonePayload,
    description: 'Changes, closes or activates a milestone.',
    args: { input: t.arg({ type: UpdateMilestoneInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, databaseId, ...changes } }, context) =>
      updateMilestone(context, project, databaseId, changes),
  }),
}));
