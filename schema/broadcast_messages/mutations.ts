import { BroadcastMessage, BroadcastType } from '#schema/broadcast_messages/types.ts';
import { AccessLevel } from '#schema/enums.ts';
import type { InputFields } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { findBroadcastMessage } from '#src/domain/administration/broadcast_messages/list.ts';
import {
  createBroadcastMessage,
  deleteBroadcastMessage,
  updateBroadcastMessage,
} from '#src/domain/administration/broadcast_messages/save.ts';

const MESSAGE =
  'The text in Markdown, of which emphasis, code, links and line breaks are shown; at most 4,096 characters.';

const values = (t: InputFields) => ({
  startsAt: t.field({ type: 'DateTime', description: 'When the message is shown first; a new one from now on.' }),
  endsAt: t.field({
    type: 'DateTime',
    description: 'From when on it is shown no more; a new one an hour after its start.',
  }),
  theme: t.string({
    description:
      'Name of its colours: `indigo`, `light-indigo`, `blue`, `light-blue`, `green`, `light-green`, `red`, `light-red`, `dark` or `light`. `indigo` for a new one.',
  }),
  color: t.string({ description: 'Colour of its background in place of that of the theme, as `#RRGGBB`.' }),
  font: t.string({ description: 'Colour of its text in place of that of the theme, as `#RRGGBB`.' }),
  targetAccessLevels: t.field({
    type: [AccessLevel],
    description:
      'Only users with one of these access levels see it, on the pages of their projects and groups; everyone when empty.',
  }),
  targetPath: t.string({
    description:
      'Paths of the pages that show it, such as `/group/*`, where `*` stands for any text; all pages when empty. At most 255 characters.',
  }),
  broadcastType: t.field({ type: BroadcastType, description: 'How pages show it; a new one as a banner.' }),
  dismissable: t.boolean({ description: 'Whether readers can hide it for good; not those of a new one.' }),
});

const which = (t: InputFields) =>
  t.field({ ...idOf('BroadcastMessage'), required: true, description: 'Global or numeric ID of the message.' });

const payload: Payload<{ id: number }> = changed(
  'broadcastMessage',
  BroadcastMessage,
  'BroadcastMessage',
  (context, { id }, selection) => findBroadcastMessage(context, id, selection),
);

mutation('createBroadcastMessage', {
  description: 'Makes a broadcast message, of which 100 can be shown or wait for their time. For administrators.',
  input: {
    description: 'A new message on pages.',
    argument: 'What the message says, to whom and when.',
    fields: (t) => ({ message: t.string({ required: true, description: MESSAGE }), ...values(t) }),
  },
  resolve: (input, context) => createBroadcastMessage(context, input),
  payload,
});

mutation('updateBroadcastMessage', {
  description: 'Changes a broadcast message. For administrators.',
  input: {
    description: 'Changes to a message on pages: what is left out stays as it is.',
    argument: 'Names the message, and the changes.',
    fields: (t) => ({ id: which(t), message: t.string({ description: MESSAGE }), ...values(t) }),
  },
  resolve: ({ id, ...input }, context) => updateBroadcastMessage(context, id, input),
  payload,
});

mutation('deleteBroadcastMessage', {
  description: 'Deletes a broadcast message. For administrators.',
  input: {
    description: 'Which broadcast message to delete.',
    argument: 'Names the message to delete.',
    fields: (t) => ({ id: which(t) }),
  },
  resolve: ({ id }, context) => deleteBroadcastMessage(context, id),
  payload: deleted('BroadcastMessage', 'broadcast message'),
});
