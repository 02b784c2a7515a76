import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { Label } from '#schema/labels/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { labelById } from '#src/domain/tracking/labels/list.ts';
import { promoteLabel } from '#src/domain/tracking/labels/promote.ts';
import {
  createLabel,
  deleteLabel,
  setLabelPriority,
  subscribeToLabel,
  updateLabel,
} from '#src/domain/tracking/labels/save.ts';
import type { ChangedThere } from '#src/domain/tracking/places/place.ts';

const COLOR = 'Colour: `#` with 3 or 6 hex digits, or a CSS colour name.';
const DESCRIPTION = 'Description of the label’s meaning.';
const PRIORITY =
  'Priority of the label: 0 or more, where 0 is the highest; null for none. Only for labels of projects; see `setLabelPriority` for others.';

const ARCHIVED = 'Whether the label is no longer in use.';

const LabelReference = builder.inputType('LabelReference', {
  description: 'A label of the project or group.',
  isOneOf: true,
  fields: (t) => ({
    id: t.field({ ...idOf('Label'), description: 'Global or numeric ID of the label.' }),
    title: t.string({ description: 'Title of the label; must match exactly.' }),
    idOrTitle: t.string({
      description: 'Numeric ID of the label, or its title if there is no label with that ID.',
    }),
  }),
});

const label = (t: InputFields) =>
  t.field({ type: LabelReference, required: true, description: 'The label, by ID or title.' });

const which = (t: InputFields) => ({ ...placeFields(t, 'of the label'), label: label(t) });

const CreateLabelInput = builder.inputType('CreateLabelInput', {
  description: 'A new label of a project or group.',
  fields: (t) => ({
    ...placeFields(t, 'of the label'),
    title: t.string({
      required: true,
      description:
        'Title, unique within the project or group and the groups around it; at most 255 characters, no comma.',
    }),
    color: t.string({ required: true, description: COLOR }),
    description: t.string({ description: DESCRIPTION }),
    priority: t.int({ description: PRIORITY }),
    archived: t.boolean({ description: ARCHIVED }),
  }),
});

const UpdateLabelInput = builder.inputType('UpdateLabelInput', {
  description: 'Changes to a label: what is left out stays as it is, null clears.',
  fields: (t) => ({
    ...which(t),
    title: t.string({
      description: 'Title from now on; unique within the project or group and the groups around it, no comma.',
    }),
    color: t.string({ description: COLOR }),
    description: t.string({ description: DESCRIPTION }),
    priority: t.int({ description: PRIORITY }),
    archived: t.boolean({ description: ARCHIVED }),
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

const SetLabelPriorityInput = builder.inputType('SetLabelPriorityInput', {
  description: 'The priority of a label in a project.',
  fields: (t) => ({
    project: projectField(t, 'in which the label gets the priority'),
    label: label(t),
    priority: t.int({
      description: 'Priority of the label in the project: 0 or more, where 0 is the highest; null for none.',
    }),
  }),
});

const PromoteLabelInput = builder.inputType('PromoteLabelInput', {
  description: 'Which label to make one of the group.',
  fields: (t) => ({ project: projectField(t, 'of the label'), label: label(t) }),
});

function labelPayload(mutation: string) {
  return builder.objectRef<ChangedThere>(namesOf(mutation).payload).implement({
    description: 'The label after the mutation.',
    fields: (t) => ({
      label: t.field({
        type: Label,
        description: 'The label as it is now.',
        resolve: ({ place, id }, _args, context, info) => labelById(context, place, id, selectionAt(info, 'Label')),
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
    description:
      'Creates a label of a project or group. For its reporters. CONFLICT when it or a group around it has one of that title.',
    args: { input: t.arg({ type: CreateLabelInput, required: true, description: 'Title and colour of the label.' }) },
    resolve: (_root, { input: { project, group, ...values } }, context) =>
      createLabel(context, { project, group }, values),
  }),
  updateLabel: t.field({
    type: labelPayload('updateLabel'),
    description: 'Changes a label. For reporters of its project or group.',
    args: {
      input: t.arg({ type: UpdateLabelInput, required: true, description: 'Names the label, and the changes.' }),
    },
    resolve: (_root, { input: { project, group, label, ...values } }, context) =>
      updateLabel(context, { project, group }, label, values),
  }),
  deleteLabel: t.field({
    type: DeleteLabelPayload,
    description:
      'Deletes a label and removes it from issues and merge requests. For reporters of its project or group.',
    args: { input: t.arg({ type: DeleteLabelInput, required: true, description: 'Names the label to delete.' }) },
    resolve: async (_root, { input: { project, group, label } }, context) => ({
      id: await deleteLabel(context, { project, group }, label),
    }),
  }),
  setLabelPriority: t.field({
    type: labelPayload('setLabelPriority'),
    description:
      'Sets the priority that a label of a project, or of a group around it, has in the project. For its reporters.',
    args: {
      input: t.arg({ type: SetLabelPriorityInput, required: true, description: 'Names the label, and the priority.' }),
    },
    resolve: (_root, { input: { project, label, priority } }, context) =>
      setLabelPriority(context, project, label, priority ?? null),
  }),
  promoteLabel: t.field({
    type: labelPayload('promoteLabel'),
    description:
      'Makes a label of a project one of its group, which takes the place of all labels with that title in projects and groups inside. For reporters of both.',
    args: { input: t.arg({ type: PromoteLabelInput, required: true, description: 'Names the label to promote.' }) },
    resolve: (_root, { input: { project, label } }, context) => promoteLabel(context, project, label),
  }),
  subscribeToLabel: t.field({
    type: labelPayload('subscribeToLabel'),
    description: 'Subscribes to a label. NOT_MODIFIED if the caller already is.',
    args: {
      input: t.arg({ type: SubscribeToLabelInput, required: true, description: 'Names the label to subscribe to.' }),
    },
    resolve: (_root, { input: { project, group, label } }, context) =>
      subscribeToLabel(context, { project, group }, label, true),
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
    resolve: (_root, { input: { project, group, label } }, context) =>
      subscribeToLabel(context, { project, group }, label, false),
  }),
}));
