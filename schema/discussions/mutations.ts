import { Discussion } from '#schema/discussions/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { changed, mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NoteableReference, noteableRef } from '#schema/notes/references.ts';
import { type ChangedDiscussion, resolveDiscussion } from '#src/domain/tracking/discussions/resolve.ts';
import { findDiscussion } from '#src/domain/tracking/notes/discussions.ts';

const which = (t: InputFields) => ({
  id: t.field({ ...idOf('Discussion'), required: true, description: 'Global or numeric ID of the thread.' }),
  on: t.field({
    type: NoteableReference,
    description: 'The merge request that the thread must be on. Any merge request when left out.',
  }),
});

const discussionPayload: Payload<Omit<ChangedDiscussion, 'changed'>> = changed(
  'discussion',
  Discussion,
  'Note',
  (context, { on, id }, selection) => findDiscussion(context, on, id, selection),
  'thread',
);

mutation('resolveDiscussion', {
  description:
    'Resolves a thread on a merge request. For developers of the project and the author of the merge request.',
  input: {
    description: 'Which thread to resolve.',
    argument: 'Names the thread of the merge request.',
    fields: (t) => ({
      ...which(t),
      resolved: t.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether it is to be resolved; false opens it again, as `unresolveDiscussion` does.',
      }),
    }),
  },
  resolve: ({ id, on, resolved }, context) => resolveDiscussion(context, { id, on: on && noteableRef(on) }, resolved),
  payload: toldChanged(discussionPayload),
});

mutation('unresolveDiscussion', {
  description:
    'Opens a resolved thread on a merge request again. For developers of the project and the author of the merge request.',
  input: {
    description: 'Which thread to open again.',
    argument: 'Names the thread of the merge request.',
    fields: which,
  },
  resolve: ({ id, on }, context) => resolveDiscussion(context, { id, on: on && noteableRef(on) }, false),
  payload: toldChanged(discussionPayload),
});
