import { notEmpty } from '#rest/engine/checks.ts';
import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

const drafts = '/projects/:id/merge_requests/:merge_request_iid/draft_notes';
const one = `${drafts}/:draft_note_id`;
const numeric = ['draft_note_id'];

/** The message for what is not there, not readable, or of somebody else: the same for all (behaviour.md 1.3). */
const missing = (what: string) => {
  const message = `404 ${what} Not Found`;
  return { notFound: { MergeRequest: message, DraftNote: message } };
};
const hidden = (what: string) => ({ ...missing(what), forbidden: { status: 404, message: `404 ${what} Not Found` } });

/** A draft without a position has one of nulls. */
const TEXT = ['base_sha', 'start_sha', 'head_sha', 'old_path', 'new_path', 'position_type', 'old_line', 'new_line'];
const record = {
  omitNull: noteKeys().omitNull?.filter((key) => key !== 'position') ?? [],
  blank: { position: [...TEXT, 'line_range'] },
};
const written: Partial<Route> = {
  ...record,
  ...missing('Draft Note'),
  validationPrefix: '400 Bad request - Note',
  names: { body: 'note', commit_sha: 'commit_id', discussion_id: 'in_reply_to_discussion_id' },
  preset: { lenientPosition: true },
  neededWithin: ['position[base_sha]', 'position[position_type]'],
};

/** The reviews that callers have not published yet. */
export const draftNotes: Route[] = [
  {
    method: 'GET',
    path: drafts,
    operation: operations.MergeRequestDraftNotesDocument,
    result: 'project.mergeRequest.draftNotes',
    ...record,
    ...hidden('Draft Notes'),
  },
  {
    method: 'POST',
    path: drafts,
    ...mutation('CreateMergeRequestDraftNote', 'createDraftNote.draftNote', '...DraftNoteRecord'),
    ...written,
    threadKeys: ['in_reply_to_discussion_id'],
    nullWord: { commit_id: 'undefined' },
  },
  {
    method: 'POST',
    path: `${drafts}/bulk_publish`,
    operation: operations.PublishMergeRequestDraftNotesDocument,
    hidden: ['id'],
    result: 'publishDraftNotes',
    status: 204,
    ...missing('Draft Notes'),
    alsoRefuses: [409],
  },
  {
    method: 'GET',
    path: one,
    operation: operations.MergeRequestDraftNoteDocument,
    result: 'project.mergeRequest.draftNote',
    numeric,
    ...record,
    ...hidden('Draft Note'),
  },
  {
    method: 'PUT',
    path: one,
    ...mutation('UpdateMergeRequestDraftNote', 'updateDraftNote.draftNote', '...DraftNoteRecord'),
    numeric,
    ...written,
    check: notEmpty('note'),
  },
  {
    method: 'DELETE',
    path: one,
    ...mutation('DeleteMergeRequestDraftNote', 'deleteDraftNote', 'deletedDraftNoteId'),
    status: 204,
    numeric,
    ...missing('Draft Note'),
  },
  {
    method: 'PUT',
    path: `${one}/publish`,
    operation: operations.PublishMergeRequestDraftNoteDocument,
    result: 'publishDraftNotes',
    status: 204,
    numeric,
    ...missing('Draft Note'),
    alsoRefuses: [409],
  },
];
