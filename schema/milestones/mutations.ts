import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { placeHolding } from '#src/domain/tracking/milestones/holding.ts';
import { changedMilestone } from '#src/domain/tracking/milestones/list.ts';
import { promoteMilestone } from '#src/domain/tracking/milestones/promote.ts';
import { createMilestone, deleteMilestone, updateMilestone } from '#src/domain/tracking/milestones/save.ts';
import type { ChangedThere } from '#src/domain/tracking/places/place.ts';

const MilestoneStateEvent = builder.enumType('MilestoneStateEvent', {
  description: 'How the state of a milestone changes.',
  values: {
    CLOSE: { value: 'close', description: 'Closes the milestone.' },
    ACTIVATE: { value: 'activate', description: 'Makes the milestone active again.' },
  } as const,
});

const TITLE = 'Title, unique within the project or group and the groups around it.';

const values = (t: InputFields) => ({
  description: t.string({ description: 'Text of the milestone, in Markdown.' }),
  startDate: t.field({ type: 'Date', description: 'First day of the milestone, before its due date.' }),
  dueDate: t.field({ type: 'Date', description: 'Last day of the milestone.' }),
});

const CreateMilestoneInput = builder.inputType('CreateMilestoneInput', {
  description: 'A new milestone of a project or group.',
  fields: (t) => ({
    ...placeFields(t, 'of the milestone'),
    title: t.string({ required: true, description: TITLE }),
    ...values(t),
  }),
});

const which = (t: InputFields) => ({
  project: t.field({
    type: 'ProjectRef',
    description:
      'The project that the milestone must belong to: full path, global ID or numeric ID. Any when left out.',
  }),
  group: t.field({
    type: 'GroupRef',
    description: 'The group that the milestone must belong to: full path, global ID or numeric ID. Any when left out.',
  }),
  id: t.field({ ...idOf('Milestone'), required: true, description: 'Global or numeric ID of the milestone.' }),
});

const UpdateMilestoneInput = builder.inputType('UpdateMilestoneInput', {
  description: 'Changes to a milestone: what is left out stays as it is, null clears.',
  fields: (t) => ({
    ...which(t),
    title: t.string({ description: TITLE }),
    ...values(t),
    stateEvent: t.field({ type: MilestoneStateEvent, description: 'Whether to close or activate the milestone.' }),
  }),
});

const DeleteMilestoneInput = builder.inputType('DeleteMilestoneInput', {
  description: 'Which milestone to delete.',
  fields: which,
});

const PromoteMilestoneInput = builder.inputType('PromoteMilestoneInput', {
  description: 'Which milestone to make one of the group.',
  fields: (t) => ({
    project: projectField(t, 'of the milestone'),
    id: t.field({ ...idOf('Milestone'), required: true, description: 'Global or numeric ID of the milestone.' }),
  }),
});

const DeleteMilestonePayload = builder.objectRef<{ id: number }>('DeleteMilestonePayload').implement({
  description: 'The milestone that was deleted.',
  fields: (t) => ({
    deletedMilestoneId: t.id({
      description: 'Global ID of the milestone that was deleted.',
      resolve: ({ id }) => toGlobalId('Milestone', id),
    }),
  }),
});

function milestonePayload(mutation: string) {
  return builder.objectRef<ChangedThere>(namesOf(mutation).payload).implement({
    description: 'The milestone after the mutation.',
    fields: (t) => ({
      milestone: t.field({
        type: Milestone,
        description: 'The milestone as it is now.',
        resolve: (changed, _args, context, info) => changedMilestone(context, changed, selectionAt(info, 'Milestone')),
      }),
    }),
  });
}

builder.mutationFields((t) => ({
  createMilestone: t.field({
    type: milestonePayload('createMilestone'),
    description: 'Creates a milestone of a project or group. For masters of the project, or reporters of the group.',
    args: {
      input: t.arg({
        type: CreateMilestoneInput,
        required: true,
        description: 'Project or group, title and dates of the milestone.',
      }),
    },
    resolve: (_root, { input: { project, group, ...given } }, context) =>
      createMilestone(context, { project, group }, given),
  }),
  updateMilestone: t.field({
    type: milestonePayload('updateMilestone'),
    description: 'Changes, closes or activates a milestone. For masters of the project, or reporters of the group.',
    args: {
      input: t.arg({
        type: UpdateMilestoneInput,
        required: true,
        description: 'Names the milestone, and the changes.',
      }),
    },
    resolve: async (_root, { input: { project, group, id, ...changes } }, context) =>
      updateMilestone(context, await placeHolding(context, id, { project, group }), id, changes),
  }),
  deleteMilestone: t.field({
    type: DeleteMilestonePayload,
    description:
      'Deletes a milestone: issues and merge requests lose it. For masters of the project, or reporters of the group.',
    args: {
      input: t.arg({ type: DeleteMilestoneInput, required: true, description: 'Names the milestone to delete.' }),
    },
    resolve: async (_root, { input: { project, group, id } }, context) => ({
      id: await deleteMilestone(context, await placeHolding(context, id, { project, group }), id),
    }),
  }),
  promoteMilestone: t.field({
    type: milestonePayload('promoteMilestone'),
    description:
      'Makes a milestone of a project one of its group, which takes the place of all milestones with that title in projects and groups inside. For masters of the project who are reporters of the group.',
    args: {
      input: t.arg({ type: PromoteMilestoneInput, required: true, description: 'Names the milestone to promote.' }),
    },
    resolve: (_root, { input: { project, id } }, context) => promoteMilestone(context, project, id),
  }),
}));
