import { builder } from '#schema/builder.ts';
import { Discussion } from '#schema/discussions/types.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NoteableReference, noteableRef } from '#schema/notes/references.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { type ChangedDiscussion, resolveDiscussion } from '#src/domain/tracking/discussions/resolve.ts';
import { findDiscussion } from '#src/domain/tracking/notes/discussions.ts';

const which = (t: InputFields) => ({
  id: t.field({ ...idOf('Discussion'), required: true, description: 'Global or numeric ID of the thread.' }),
  on: t.field({
    type: NoteableReference,
    description: 'The merge request that the thread must be on. Any merge request when left out.',
  }),
});

const ResolveDiscussionInput = builder.inputType('ResolveDiscussionInput', {
  description: 'Which thread to resolve.',
  fields: (t) => ({
    ...which(t),
    resolved: t.boolean({
      required: true,
      defaultValue: true,
      description: 'Whether it is to be resolved; false opens it again, as `unresolveDiscussion` does.',
    }),
  }),
});

const UnresolveDiscussionInput = builder.inputType('UnresolveDiscussionInput', {
  description: 'Which thread to open again.',
  fields: which,
});

function discussionPayload(mutation: string) {
  return builder.objectRef<ChangedDiscussion>(namesOf(mutation).payload).implement({
    description: 'The thread after the mutation.',
    fields: (t) => ({
      discussion: t.field({
        type: Discussion,
        description: 'The thread as it is now.',
        resolve: ({ on, id }, _args, context, info) => findDiscussion(context, on, id, selectionAt(info, 'Note')),
      }),
    }),
  });
}

builder.mutationFields((t) => ({
  resolveDiscussion: t.field({
    type: discussionPayload('resolveDiscussion'),
    description:
      'Resolves a thread on a merge request. For developers of the project and the author of the merge request.',
    args: {
      input: t.arg({
        type: ResolveDiscussionInput,
        required: true,
        description: 'Names the thread of the merge request.',
      }),
    },
    resolve: (_root, { input: { id, on, resolved } }, context) =>
      resolveDiscussion(context, { id, on: on && noteableRef(on) }, resolved),
  }),
  unresolveDiscussion: t.field({
    type: discussionPayload('unresolveDiscussion'),
    description:
      'Opens a resolved thread on a merge request again. For developers of the project and the author of the merge request.',
    args: {
      input: t.arg({
        type: UnresolveDiscussionInput,
        required: true,
        description: 'Names the thread of the merge request.',
      }),
    },
    resolve: (_root, { input: { id, on } }, context) =>
      resolveDiscussion(context, { id, on: on && noteableRef(on) }, false),
  }),
}));
