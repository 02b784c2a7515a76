import { builder } from '#schema/builder.ts';
import { Label } from '#schema/labels/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { labelById } from '#src/labels/list.ts';
import { createLabel, deleteLabel, subscribeToLabel, updateLabel } from '#src/labels/save.ts';
import type { ChangedRecord } from '#src/projects/below.ts';

const CreateLabelInput = builder.inputType('CreateLabelInput', {
  description: 'A new label.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    title: t.string({ required: true, description: 'Unique within the project; no comma.' }),
    color: t.string({ required: true, description: 'Hex digits behind a `#`, or a CSS colour name.' }),
    description: t.string({ description: 'What it means.' }),
    priority: t.int({ description: '0 or more; the lowest comes first.' }),
  }),
});

const UpdateLabelInput = builder.inputType('UpdateLabelInput', {
  description: 'Changes to a label: unset means unchanged, null cleared.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    title: t.string({ required: true, description: 'Its title so far.' }),
    newTitle: t.string({ description: 'Its title from now on.' }),
    color: t.string({ description: 'Hex digits behind a `#`, or a CSS colour name.' }),
    description: t.string({ description: 'What it means.' }),
    priority: t.int({ description: '0 or more; null takes it away.' }),
  }),
});

const DeleteLabelInput = builder.inputType('DeleteLabelInput', {
  description: 'Which label to delete.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    title: t.string({ required: true, description: 'Its title.' }),
  }),
});

const LabelSubscriptionInput = builder.inputType('LabelSubscriptionInput', {
  description: 'Which label to follow or not to.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    label: t.string({ required: true, description: 'Numeric ID or title.' }),
  }),
});

const LabelPayload = builder.objectRef<ChangedRecord>('LabelPayload').implement({
  description: 'The label as it is now.',
  fields: (t) => ({
    label: t.field({
      type: Label,
      description: 'The label.',
      resolve: ({ project, id }, _args, context, info) => labelById(context, project, id, selectionAt(info, 'Label')),
    }),
  }),
});

const DeleteLabelPayload = builder.objectRef<{ title: string }>('DeleteLabelPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({ title: t.exposeString('title', { description: 'Title of the label that is gone.' }) }),
});

builder.mutationFields((t) => ({
  createLabel: t.field({
    type: LabelPayload,
    description: 'Creates a label.',
    args: { input: t.arg({ type: CreateLabelInput, required: true, description: 'The new label.' }) },
    resolve: (_root, { input: { project, ...values } }, context) => createLabel(context, project, values),
  }),
  updateLabel: t.field({
    type: LabelPayload,
    description: 'Changes a label.',
    args: { input: t.arg({ type: UpdateLabelInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { project, title, newTitle, ...values } }, context) => {
      const renamed = newTitle === undefined ? {} : { title: newTitle };
      return updateLabel(context, project, title, { ...values, ...renamed });
    },
  }),
  deleteLabel: t.field({
    type: DeleteLabelPayload,
    description: 'Deletes a label and takes it off everything.',
    args: { input: t.arg({ type: DeleteLabelInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, title } }, context) => {
      await deleteLabel(context, project, title);
      return { title };
    },
  }),
  subscribeToLabel: t.field({
    type: LabelPayload,
    description: 'Follows a label. NOT_MODIFIED when the caller does already.',
    args: { input: t.arg({ type: LabelSubscriptionInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, label } }, context) => subscribeToLabel(context, project, label, true),
  }),
  unsubscribeFromLabel: t.field({
    type: LabelPayload,
    description: 'Stops following a label. NOT_MODIFIED when the caller does not.',
    args: { input: t.arg({ type: LabelSubscriptionInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project, label } }, context) => subscribeToLabel(context, project, label, false),
  }),
}));
