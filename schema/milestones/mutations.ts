import { builder } from '#schema/builder.ts';
import { holderField, type InputFields } from '#schema/inputs.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { holderFields, placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { OwnedRecord } from '#src/domain/projects/owner.ts';
import { placeHolding } from '#src/domain/tracking/milestones/holding.ts';
import { changedMilestone } from '#src/domain/tracking/milestones/list.ts';
import { promoteMilestone } from '#src/domain/tracking/milestones/promote.ts';
import { createMilestone, deleteMilestone, updateMilestone } from '#src/domain/tracking/milestones/save.ts';

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

const which = (t: InputFields) => ({
  ...holderFields(t, 'milestone'),
  id: t.field({ ...idOf('Milestone'), required: true, description: 'Global or numeric ID of the milestone.' }),
});

const milestonePayload: Payload<OwnedRecord> = changed('milestone', Milestone, 'Milestone', changedMilestone);

mutation('createMilestone', {
  description: 'Creates a milestone of a project or group. For masters of the project, or reporters of the group.',
  input: {
    description: 'A new milestone of a project or group.',
    argument: 'Project or group, title and dates of the milestone.',
    fields: (t) => ({
      ...placeFields(t, 'of the milestone'),
      title: t.string({ required: true, description: TITLE }),
      ...values(t),
    }),
  },
  resolve: ({ project, group, ...given }, context) => createMilestone(context, { project, group }, given),
  payload: milestonePayload,
});

mutation('updateMilestone', {
  description: 'Changes, closes or activates a milestone. For masters of the project, or reporters of the group.',
  input: {
    description: 'Changes to a milestone: what is left out stays as it is, null clears.',
    argument: 'Names the milestone, and the changes.',
    fields: (t) => ({
      ...which(t),
      title: t.string({ description: TITLE }),
      ...values(t),
      stateEvent: t.field({ type: MilestoneStateEvent, description: 'Whether to close or activate the milestone.' }),
    }),
  },
  resolve: async ({ project, group, id, ...changes }, context) =>
    updateMilestone(context, await placeHolding(context, id, { project, group }), id, changes),
  payload: milestonePayload,
});

mutation('deleteMilestone', {
  description:
    'Deletes a milestone: issues and merge requests lose it. For masters of the project, or reporters of the group.',
  input: { description: 'Which milestone to delete.', argument: 'Names the milestone to delete.', fields: which },
  resolve: async ({ project, group, id }, context) => {
    const place = await placeHolding(context, id, { project, group });
    return { id: await deleteMilestone(context, place, id), ...place };
  },
  payload: { ...deleted('Milestone', 'milestone'), from: fromPlace },
});

mutation('promoteMilestone', {
  description:
    'Makes a milestone of a project one of its group, which takes the place of all milestones with that title in projects and groups inside. For masters of the project who are reporters of the group.',
  input: {
    description: 'Which milestone to make one of the group.',
    argument: 'Names the milestone to promote.',
    fields: (t) => ({
      project: holderField(t, 'milestone'),
      id: t.field({ ...idOf('Milestone'), required: true, description: 'Global or numeric ID of the milestone.' }),
    }),
  },
  resolve: async (input, context) =>
    promoteMilestone(context, await projectHolding(context, 'Milestone', input), input.id),
  payload: milestonePayload,
});
