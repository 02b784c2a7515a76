import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { Label } from '#schema/labels/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { labelById } from '#src/domain/tracking/labels/list.ts';
import { createLabel, deleteLabel, subscribeToLabel, updateLabel } from '#src/domain/tracking/labels/save.ts';

const COLOR = 'Colour: `#` with 3 or 6 hex digits, or a CSS colour name.';
const DESCRIPTION = 'Description of the label’s meaning.';
const PRIORITY = 'Priority of the label: 0 or more, where 0 is the highest; null for none.';

const LabelReference = builder.inputType('LabelReference', {
  description: 'A label of the project.',
  isOneOf: true,
  fields: (t) => ({
    id: t.field({ ...idOf('Label'), description: 'Global or numeric ID of the label.' }),
    title: t.string({ description: 'Title of the label; must match exactly.' }),
    idOrTitle: t.string({
      description: 'Numeric ID of the label, or its title if the project has no label with that ID.',
    }),
  }),
});

const which = (t: InputFields) => ({
  project: projectField(t, 'of the label'),
  label: t.field({ type: LabelReference, required: true, description: 'The label, by ID or title.' }),
});

const CreateLabelInput = builder.inputType('CreateLabelInput', {
  description: 'A new label of a project.',
  fields: (t) => ({
    project: projectField(t, 'of the label'),
    title: t.string({
      required: true,
      description: 'Title, unique within the project; at most 255 characters, no comma.',
    }),
    color: t.string({ required: true, description: COLOR }),
    description: t.string({ description: DESCRIPTION }),
    priority: t.int({ description: PRIORITY }),
  }),
});

const UpdateLabelInput = builder.inputType('UpdateLabelInput', {
  description: 'Changes to a label: what is left out stays as it is, null clears.',
  fields: (t) => ({
    ...which(t),
    title: t.string({ description: 'Title from now on; unique within the project, no comma.' }),
    color: t.string({ description: COLOR }),
    description: t.string({ description: DESCRIPTION }),
    priority: t.int({ description: PRIORITY }),
  }),
});

const DeleteLabelInput = builder.inputType('DeleteLabelInput', {
  description: 'Which label to delete.',
  fields: which,
});

const SubscribeToLabelInput = builder.inputType('SubscribeToLabelInput', {
  description: 'Which label to subscribe to.',
  fields: which,
});

const UnsubscribeFromLabelInput = builder.inputType('UnsubscribeFromLabelInput', {
  description: 'Which label to unsubscribe from.',
  fields: which,
});

function labelPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
    description: 'The label after the mutation.',
    fields: (t) => ({
      label: t.field({
        type: Label,
        description: 'The label as it is now.',
        resolve: ({ project, id }, _args, context, info) => labelById(context, project, id, selectionAt(info, 'Label')),
      }),
    }),
  });
}

const DeleteLabelPayload = builder.objectRef<{ id: number }>('DeleteLabelPayload').implement({
  description: 'The label that was deleted.',
  fields: (t) => ({
    deletedLabelId: t.id({
      description: 'Global ID of the label that was deleted.',
      resolve: ({ id }) => toGlobalId('Label', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createLabel: t.field({
    type: labelPayload('createLabel'),
    description: 'Creates a label. For reporters of the project. CONFLICT when there is one of that title.',
    args: { input: t.arg({ type: CreateLabelInput, required: true, description: 'Title and colour of the label.' }) },
    resolve: (_root, { input: { project, ...values } }, context) => createLabel(context, project, values),
  }),
  updateLabel: t.field({
    type: labelPayload('updateLabel'),
    description: 'Changes a label. For reporters of the project.',
    args: {
      input: t.arg({ type: UpdateLabelInput, required: true, description: 'Names the label, and the changes.' }),
    },
    resolve: (_root, { input: { project, label, ...values } }, context) => updateLabel(context, project, label, values),
  }),
  deleteLabel: t.field({
    type: DeleteLabelPayload,
    description: 'Deletes a label and removes it from issues and merge requests. For reporters of the project.',
    args: { input: t.arg({ type: DeleteLabelInput, required: true, description: 'Names the label to delete.' }) },
    resolve: async (_root, { input: { project, label } }, context) => ({
      id: await deleteLabel(context, project, label),
    }),
  }),
  subscribeToLabel: t.field({
    type: labelPayload('subscribeToLabel'),
    description: 'Subscribes to a label. NOT_MODIFIED if the caller already is.',
    args: {
      input: t.arg({ type: SubscribeToLabelInput, required: true, description: 'Names the label to subscribe to.' }),
    },
    resolve: (_root, { input: { project, label } }, context) => subscribeToLabel(context, project, label, true),
  }),
  unsubscribeFromLabel: t.field({
    type: labelPayload('unsubscribeFromLabel'),
    description: 'Unsubscribes from a label. NOT_MODIFIED if the caller is not subscribed.',
    args: {
      input: t.arg({
        type: UnsubscribeFromLabelInput,
        required: true,
        description: 'Names the label to unsubscribe from.',
      }),
    },
    resolve: (_root, { input: { project, label } }, context) => subscribeToLabel(context, project, label, false),
  }),
}));
