import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { findMilestone } from '#src/domain/tracking/milestones/list.ts';
import { createMilestone, updateMilestone } from '#src/domain/tracking/milestones/save.ts';

const MilestoneStateEvent = builder.enumType('MilestoneStateEvent', {
  description: 'How the state of a milestone changes.',
  values: {
    CLOSE: { value: 'close', description: 'Closes the milestone.' },
    ACTIVATE: { value: 'activate', description: 'Makes the milestone active again.' },
  } as const,
});

const TITLE = 'Title, unique within the project.';

const values = (t: InputFields) => ({
  description: t.string({ description: 'Text of the milestone, in Markdown.' }),
  startDate: t.field({ type: 'Date', description: 'First day of the milestone, before its due date.' }),
  dueDate: t.field({ type: 'Date', description: 'Last day of the milestone.' }),
});

const CreateMilestoneInput = builder.inputType('CreateMilestoneInput', {
  description: 'A new milestone of a project.',
  fields: (t) => ({
    project: projectField(t, 'of the milestone'),
    title: t.string({ required: true, description: TITLE }),
    ...values(t),
  }),
});

const UpdateMilestoneInput = builder.inputType('UpdateMilestoneInput', {
  description: 'Changes to a milestone: what is left out stays as it is, null clears.',
  fields: (t) => ({
    project: holderField(t, 'milestone'),
    id: t.field({
      ...idOf('Milestone'),
      required: true,
      description: 'Global or numeric ID of the milestone.',
    }),
    title: t.string({ description: TITLE }),
    ...values(t),
    stateEvent: t.field({ type: MilestoneStateEvent, description: 'Whether to close or activate the milestone.' }),
  }),
});

function milestonePayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The milestone after the mutation.',
    fields: (t) => ({
      milestone: t.field({
        type: Milestone,
        description: 'The milestone as it is now.',
        resolve: ({ project, id }, _args, context, info) =>
          findMilestone(context, project, id, selectionAt(info, 'Milestone')),
      }),
    }),
  });
}

builder.mutationFields((t) => ({
  createMilestone: t.field({
    type: milestonePayload('createMilestone'),
    description: 'Creates a milestone. For masters of the project.',
    args: {
      input: t.arg({
        type: CreateMilestoneInput,
        required: true,
        description: 'Project, title and dates of the milestone.',
      }),
    },
    resolve: (_root, { input: { project, ...given } }, context) => createMilestone(context, project, given),
  }),
  updateMilestone: t.field({
    type: milestonePayload('updateMilestone'),
    description: 'Changes, closes or activates a milestone. For masters of the project.',
    args: {
      input: t.arg({
        type: UpdateMilestoneInput,
        required: true,
        description: 'Names the milestone, and the changes.',
      }),
    },
    resolve: async (_root, { input: { project, id, ...changes } }, context) =>
      updateMilestone(context, await projectHolding(context, 'Milestone', { project, id }), id, changes),
  }),
}));
