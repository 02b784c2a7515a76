import { builder } from '#schema/builder.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { Label } from '#schema/labels/types.ts';
import { changed, deleted, mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import type { OwnedRecord } from '#src/domain/projects/owner.ts';
import { labelById } from '#src/domain/tracking/labels/list.ts';
import { promoteLabel } from '#src/domain/tracking/labels/promote.ts';
import {
  createLabel,
  deleteLabel,
  setLabelPriority,
  subscribeToLabel,
  updateLabel,
} from '#src/domain/tracking/labels/save.ts';

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

const labelPayload: Payload<OwnedRecord> = changed('label', Label, 'Label', (context, { place, id }, selection) =>
  labelById(context, place, id, selection),
);

mutation('createLabel', {
  description:
    'Creates a label of a project or group. For its reporters. CONFLICT when it or a group around it has one of that title.',
  input: {
    description: 'A new label of a project or group.',
    argument: 'Title and colour of the label.',
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
  },
  resolve: ({ project, group, ...values }, context) => createLabel(context, { project, group }, values),
  payload: labelPayload,
});

mutation('updateLabel', {
  description: 'Changes a label. For reporters of its project or group.',
  input: {
    description: 'Changes to a label: what is left out stays as it is, null clears.',
    argument: 'Names the label, and the changes.',
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
  },
  resolve: ({ project, group, label, ...values }, context) => updateLabel(context, { project, group }, label, values),
  payload: labelPayload,
});

mutation('deleteLabel', {
  description: 'Deletes a label and removes it from issues and merge requests. For reporters of its project or group.',
  input: { description: 'Which label to delete.', argument: 'Names the label to delete.', fields: which },
  resolve: async ({ project, group, label }, context) => ({
    id: await deleteLabel(context, { project, group }, label),
  }),
  payload: { ...deleted('Label', 'label'), from: fromPlace },
});

mutation('setLabelPriority', {
  description:
    'Sets the priority that a label of a project, or of a group around it, has in the project. For its reporters.',
  input: {
    description: 'The priority of a label in a project.',
    argument: 'Names the label, and the priority.',
    fields: (t) => ({
      project: projectField(t, 'in which the label gets the priority'),
      label: label(t),
      priority: t.int({
        description: 'Priority of the label in the project: 0 or more, where 0 is the highest; null for none.',
      }),
    }),
  },
  resolve: ({ project, label, priority }, context) => setLabelPriority(context, project, label, priority ?? null),
  payload: labelPayload,
});

mutation('promoteLabel', {
  description:
    'Makes a label of a project one of its group, which takes the place of all labels with that title in projects and groups inside. For reporters of both.',
  input: {
    description: 'Which label to make one of the group.',
    argument: 'Names the label to promote.',
    fields: (t) => ({ project: projectField(t, 'of the label'), label: label(t) }),
  },
  resolve: ({ project, label }, context) => promoteLabel(context, project, label),
  payload: labelPayload,
});

mutation('subscribeToLabel', {
  description: 'Subscribes to a label. `changed` is false if the caller already is.',
  input: { description: 'Which label to subscribe to.', argument: 'Names the label to subscribe to.', fields: which },
  resolve: ({ project, group, label }, context) => subscribeToLabel(context, { project, group }, label, true),
  payload: toldChanged(labelPayload),
});

mutation('unsubscribeFromLabel', {
  description: 'Unsubscribes from a label. `changed` is false if the caller is not subscribed.',
  input: {
    description: 'Which label to unsubscribe from.',
    argument: 'Names the label to unsubscribe from.',
    fields: which,
  },
  resolve: ({ project, group, label }, context) => subscribeToLabel(context, { project, group }, label, false),
  payload: toldChanged(labelPayload),
});
