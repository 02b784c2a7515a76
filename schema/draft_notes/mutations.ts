import { builder } from '#schema/builder.ts';
import { DraftNote } from '#schema/draft_notes/types.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { DiffPositionInput, LENIENT } from '#schema/notes/mutations.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findDraftNote } from '#src/domain/tracking/drafts/list.ts';
import { publishDraftNotes } from '#src/domain/tracking/drafts/publish.ts';
import {
  type ChangedDraft,
  createDraftNote,
  deleteDraftNote,
  updateDraftNote,
} from '#src/domain/tracking/drafts/save.ts';

const BODY =
  'Text of the note, in Markdown; at most 65,536 characters. Its quick actions are applied when it is published.';

const lenientPosition = (t: InputFields) => t.boolean({ required: true, defaultValue: false, description: LENIENT });

const whichDraft = (t: InputFields) => ({
  ...whichMergeRequest(t),
  id: t.field({ ...idOf('DraftNote'), required: true, description: 'Global or numeric ID of the draft note.' }),
});

const CreateDraftNoteInput = builder.inputType(namesOf('createDraftNote').input, {
  description: 'A new draft note.',
  fields: (t: InputFields) => ({
    ...whichMergeRequest(t),
    body: t.string({ required: true, description: BODY }),
    discussionId: t.field({
      ...idOf('Discussion'),
      description:
        'ID of the thread on the merge request to answer in; the note begins a thread when left out. System notes cannot be answered.',
    }),
    resolveDiscussion: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether publishing the note resolves the thread that it answers in.',
    }),
    position: t.field({ type: DiffPositionInput, description: 'The line or file to begin a thread on.' }),
    lenientPosition: lenientPosition(t),
    commitSha: t.string({ description: 'Full hash of the commit of the merge request that the position is in.' }),
  }),
});

const UpdateDraftNoteInput = builder.inputType(namesOf('updateDraftNote').input, {
  description: 'A change to a draft note.',
  fields: (t: InputFields) => ({
    ...whichDraft(t),
    body: t.string({ description: `${BODY} At least one of this and \`position\` is needed.` }),
    position: t.field({
      type: DiffPositionInput,
      description: 'The line or file to begin a thread on; not for answers.',
    }),
    lenientPosition: lenientPosition(t),
  }),
});

const DeleteDraftNoteInput = builder.inputType(namesOf('deleteDraftNote').input, {
  description: 'Which draft note to delete.',
  fields: whichDraft,
});

const PublishDraftNotesInput = builder.inputType(namesOf('publishDraftNotes').input, {
  description: 'Which draft notes to publish.',
  fields: (t: InputFields) => ({
    ...whichMergeRequest(t),
    id: t.field({
      ...idOf('DraftNote'),
      description: 'ID of the only draft note to publish; all of the caller on the merge request when left out.',
    }),
  }),
});

function draftPayload(mutation: string) {
  return builder.objectRef<ChangedDraft>(namesOf(mutation).payload).implement({
    description: 'The draft note after the mutation.',
    fields: (t) => ({
      draftNote: t.field({
        type: DraftNote,
        description: 'The draft note as it is now.',
        resolve: ({ mergeRequestId, id }, _args, context, info) =>
          findDraftNote(context, mergeRequestId, id, selectionAt(info, 'DraftNote')),
      }),
    }),
  });
}

const DeleteDraftNotePayload = builder.objectRef<{ id: number }>(namesOf('deleteDraftNote').payload).implement({
  description: 'The draft note that was deleted.',
  fields: (t) => ({
    deletedDraftNoteId: t.id({
      description: 'Global ID of the draft note that was deleted.',
      resolve: ({ id }) => toGlobalId('DraftNote', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createDraftNote: t.field({
    type: draftPayload('createDraftNote'),
    description:
      'Drafts a note on a merge request, which only the caller sees until it is published. For those who may comment on it; at most 200 on a merge request, of 262,144 characters in all.',
    args: {
      input: t.arg({
        type: CreateDraftNoteInput,
        required: true,
        description: 'Names the merge request, and the text.',
      }),
    },
    resolve: (_root, { input: { project, iid, ...values } }, context) => createDraftNote(context, project, iid, values),
  }),
  updateDraftNote: t.field({
    type: draftPayload('updateDraftNote'),
    description: 'Changes a draft note of the caller.',
    args: {
      input: t.arg({ type: UpdateDraftNoteInput, required: true, description: 'Names the draft note, and the text.' }),
    },
    resolve: (_root, { input: { project, iid, id, ...values } }, context) =>
      updateDraftNote(context, project, iid, id, values),
  }),
  deleteDraftNote: t.field({
    type: DeleteDraftNotePayload,
    description: 'Deletes a draft note of the caller.',
    args: {
      input: t.arg({ type: DeleteDraftNoteInput, required: true, description: 'Names the draft note to delete.' }),
    },
    resolve: async (_root, { input: { project, iid, id } }, context) => ({
      id: await deleteDraftNote(context, project, iid, id),
    }),
  }),
  publishDraftNotes: t.field({
    type: mergeRequestPayload('publishDraftNotes'),
    description:
      'Publishes the draft notes of the caller on a merge request, all at once: they become notes, with one email about all of them. Does nothing if there are none. NOT_FOUND if a thread to answer in is gone.',
    args: {
      input: t.arg({ type: PublishDraftNotesInput, required: true, description: 'Names the merge request.' }),
    },
    resolve: (_root, { input: { project, iid, id } }, context) => publishDraftNotes(context, project, iid, id),
  }),
}));
