import { builder } from '#schema/builder.ts';
import { DraftNote } from '#schema/draft_notes/types.ts';
import { holderField, type InputFields } from '#schema/inputs.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { DiffPositionInput, LENIENT } from '#schema/notes/mutations.ts';
import { fromProject } from '#schema/places/parents.ts';
import { findDraftNote } from '#src/domain/tracking/drafts/list.ts';
import { publishDraftNotes } from '#src/domain/tracking/drafts/publish.ts';
import { requestAnotherReview } from '#src/domain/tracking/drafts/request_review.ts';
import {
  type ChangedDraft,
  createDraftNote,
  deleteDraftNote,
  mergeRequestHolding,
  updateDraftNote,
} from '#src/domain/tracking/drafts/save.ts';
import { submitReview } from '#src/domain/tracking/drafts/submit.ts';

const BODY =
  'Text of the note, in Markdown; at most 65,536 characters. Its quick actions are applied when it is published.';

const lenientPosition = (t: InputFields) => t.boolean({ required: true, defaultValue: false, description: LENIENT });

const whichDraft = (t: InputFields) => ({
  project: holderField(t, 'merge request'),
  iid: t.int({
    description: 'Number of the merge request that the draft note must be on. Any merge request when left out.',
  }),
  id: t.field({ ...idOf('DraftNote'), required: true, description: 'Global or numeric ID of the draft note.' }),
});

const draftPayload: Payload<ChangedDraft> = changed(
  'draftNote',
  DraftNote,
  'DraftNote',
  (context, { mergeRequestId, id }, selection) => findDraftNote(context, mergeRequestId, id, selection),
);

mutation('createDraftNote', {
  description:
    'Drafts a note on a merge request, which only the caller sees until it is published. For those who may comment on it; at most 200 on a merge request, of 262,144 characters in all.',
  input: {
    description: 'A new draft note.',
    argument: 'Names the merge request, and the text.',
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
  },
  resolve: ({ project, iid, ...values }, context) => createDraftNote(context, project, iid, values),
  payload: draftPayload,
});

mutation('updateDraftNote', {
  description: 'Changes a draft note of the caller.',
  input: {
    description: 'A change to a draft note.',
    argument: 'Names the draft note, and the text.',
    fields: (t: InputFields) => ({
      ...whichDraft(t),
      body: t.string({ description: `${BODY} At least one of this and \`position\` is needed.` }),
      position: t.field({
        type: DiffPositionInput,
        description: 'The line or file to begin a thread on; not for answers.',
      }),
      lenientPosition: lenientPosition(t),
    }),
  },
  resolve: async ({ project: given, iid: number, id, ...values }, context) => {
    const { project, iid } = await mergeRequestHolding(context, { project: given, iid: number, id });
    return updateDraftNote(context, project, iid, id, values);
  },
  payload: draftPayload,
});

mutation('deleteDraftNote', {
  description: 'Deletes a draft note of the caller.',
  input: {
    description: 'Which draft note to delete.',
    argument: 'Names the draft note to delete.',
    fields: whichDraft,
  },
  resolve: async (input, context) => {
    const { project, iid } = await mergeRequestHolding(context, input);
    return { id: await deleteDraftNote(context, project, iid, input.id), project };
  },
  payload: { ...deleted('DraftNote', 'draft note'), from: fromProject },
});

mutation('publishDraftNotes', {
  description:
    'Publishes the draft notes of the caller on a merge request, all at once: they become notes, with one email about all of them. Does nothing if there are none. NOT_FOUND if a thread to answer in is gone.',
  input: {
    description: 'Which draft notes to publish.',
    argument: 'Names the merge request.',
    fields: (t: InputFields) => ({
      ...whichMergeRequest(t),
      id: t.field({
        ...idOf('DraftNote'),
        description: 'ID of the only draft note to publish; all of the caller on the merge request when left out.',
      }),
    }),
  },
  resolve: ({ project, iid, id }, context) => publishDraftNotes(context, project, iid, id),
  payload: mergeRequestPayload,
});

const ReviewVerdict = builder.enumType('ReviewVerdict', {
  description: 'What a review of a merge request comes to.',
  values: {
    COMMENT: { value: 'comment', description: 'Neither of the others: the comments alone.' },
    APPROVE: { value: 'approve', description: 'The caller approves the merge request.' },
    REQUEST_CHANGES: {
      value: 'request_changes',
      description: 'The caller asks for changes, becomes a reviewer if need be, and takes an approval back.',
    },
  } as const,
});

mutation('submitReview', {
  description:
    'Finishes a review of the caller, at once: publishes the draft notes and the summary, and approves the merge request or asks for changes of it. For those who may comment on the merge request; for its author, its assignees and developers of the target project alone where the verdict is more than a comment. FORBIDDEN if the merge request is not open then, CONFLICT if its source branch does not have the given head, VALIDATION_FAILED for a comment without draft notes and summary.',
  input: {
    description: 'What a review comes to.',
    argument: 'Names the merge request, and what the review comes to.',
    fields: (t: InputFields) => ({
      ...whichMergeRequest(t),
      summary: t.string({
        description:
          'Text about the whole merge request, in Markdown; at most 65,536 characters. Its quick actions are applied.',
      }),
      verdict: t.field({
        type: ReviewVerdict,
        required: true,
        defaultValue: 'comment',
        description: 'What the review comes to.',
      }),
      sha: t.field({
        type: 'Sha',
        description:
          'The head that the caller has seen, as a full hash. If the source branch has another one, it is not approved.',
      }),
    }),
  },
  resolve: ({ project, iid, ...review }, context) => submitReview(context, project, iid, review),
  payload: mergeRequestPayload,
});

mutation('requestReviewAgain', {
  description:
    'Asks a reviewer of a merge request for another review: the state of the review is UNREVIEWED again, and the reviewer gets a to-do and mail. For its author, its assignees and developers of the target project. NOT_FOUND if the user is no reviewer, FORBIDDEN if the merge request is not open.',
  input: {
    description: 'Which reviewer to ask again.',
    argument: 'Names the merge request and the reviewer.',
    fields: (t: InputFields) => ({
      ...whichMergeRequest(t),
      userId: t.field({ ...idOf('User'), required: true, description: 'Global or numeric ID of the reviewer.' }),
    }),
  },
  resolve: ({ project, iid, userId }, context) => requestAnotherReview(context, project, iid, userId),
  payload: mergeRequestPayload,
});
