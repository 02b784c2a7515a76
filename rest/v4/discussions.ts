import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the threads on one kind of record. */
interface Operations {
  list: Route['operation'];
  read: Route['operation'];
  create: Route['operation'];
  notes: Route['operation'];
  note: Route['operation'];
  answer: Route['operation'];
  update: Route['operation'];
  remove: Route['operation'];
}

/** Where a kind of record is: its path, what finds it below the project, and what the mutations are called. */
interface Place {
  path: string;
  field: string;
  noun?: 'Note' | 'CommitComment';
  names?: Route['names'];
  /** Options of the route that begins a thread. */
  begins?: Partial<Route>;
  /** Options of the route that changes a note. */
  changes?: Partial<Route>;
}

/** The message for records that are not there or not readable: the same for both (behaviour.md 1.3). */
const missing = (what: string) => {
  const message = `404 ${what} Not Found`;
  return { notFound: { Issue: message, MergeRequest: message, Snippet: message, Note: message } };
};

/** What is invalid about a note is told in one text. */
const validationPrefix = '400 Bad request - Note';
const threadKeys = ['discussion_id'];

function discussionsOf(
  { path: record, field, noun = 'Note', names = {}, begins = {}, changes = {} }: Place,
  { list, read, create, notes, note, answer, update, remove }: Operations,
): Route[] {
  const path = `/projects/:id/${record}/discussions`;
  const thread = `${path}/:discussion_id`;
  const one = `${thread}/notes/:note_id`;
  const discussion = { ...missing('Discussion'), ...noteKeys('notes.') };
  // There are no quick actions on commits.
  const done = noun === 'Note' && { done: { message: 'Commands applied' } };
  // Records that are not readable are not there (behaviour.md 1.3).
  const hidden = (what: string) => noun === 'Note' && { refused: { status: 404, message: `404 ${what} Not Found` } };
  const ofThread = { ...missing('Note'), ...noteKeys(), threadKeys };
  return [
    {
      method: 'GET',
      path,
      operation: list,
      result: `project.${field}.discussions`,
      ...discussion,
      ...missing('Discussions'),
      ...hidden('Discussions'),
    },
    {
      method: 'GET',
      path: thread,
      operation: read,
      result: `project.${field}.discussion`,
      ...discussion,
      threadKeys,
      ...hidden('Discussion'),
    },
    {
      method: 'POST',
      path,
      operation: create,
      names,
      result: `create${noun}.discussion`,
      ...discussion,
      validationPrefix,
      ...done,
      preset: { startDiscussion: true, ignoreForbidden: true },
      ...begins,
      hidden: ['discussion_id', ...OF_NOTES, ...(begins.hidden ?? [])],
    },
    {
      method: 'GET',
      path: `${thread}/notes`,
      operation: notes,
      result: `project.${field}.discussion.notes`,
      ...ofThread,
      notFound: { ...missing('Notes').notFound, Discussion: '404 Notes Not Found' },
      ...hidden('Notes'),
    },
    {
      method: 'POST',
      path: `${thread}/notes`,
      operation: answer,
      names,
      hidden: ['start_discussion', ...OF_NOTES, ...UNPOSITIONED],
      preset: { ignoreForbidden: true },
      result: `create${noun}.note`,
      ...ofThread,
      ...missing('Discussion'),
      validationPrefix,
      ...done,
    },
    { method: 'GET', path: one, operation: note, result: `project.${field}.note`, ...ofThread, ...hidden('Note') },
    {
      method: 'PUT',
      path: one,
      operation: update,
      names,
      result: `update${noun}.note`,
      ...ofThread,
      validationPrefix,
      ...changes,
    },
    { method: 'DELETE', path: one, operation: remove, names, result: `delete${noun}`, status: 204, ...ofThread },
  ];
}

const POSITIONED = { neededWithin: ['position[base_sha]', 'position[position_type]'] };
/** What begins a thread in its place alone. */
const UNPOSITIONED = ['commit_sha', 'lenient_position', 'position'];
/** What a note of a thread is not asked for. */
const OF_NOTES = ['internal', 'line', 'line_type', 'path'];
/** A note is edited, or its thread resolved. */
const changes = { exactlyOne: ['body', 'resolved'] };

export const discussions: Route[] = [
  ...discussionsOf(
    {
      path: 'merge_requests/:merge_request_iid',
      field: 'mergeRequest',
      begins: {
        ...POSITIONED,
        names: { commit_sha: 'commit_id' },
        preset: { startDiscussion: true, lenientPosition: true, ignoreForbidden: true },
      },
      changes,
    },
    {
      list: operations.MergeRequestDiscussionsDocument,
      read: operations.MergeRequestDiscussionDocument,
      create: mutation('CreateMergeRequestDiscussion', 'createNote.discussion', '...DiscussionRecord').operation,
      notes: operations.MergeRequestDiscussionNotesDocument,
      note: operations.MergeRequestDiscussionNoteDocument,
      answer: mutation('CreateMergeRequestDiscussionNote', 'createNote.note', '...NoteRecord').operation,
      update: mutation('UpdateMergeRequestDiscussionNote', 'updateNote.note', '...NoteRecord').operation,
      remove: mutation('DeleteMergeRequestDiscussionNote', 'deleteNote', 'deletedNoteId').operation,
    },
  ),
  {
    method: 'PUT',
    path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id',
    ...mutation('ResolveMergeRequestDiscussion', 'resolveDiscussion.discussion', '...DiscussionRecord'),
    required: ['resolved'],
    ...missing('Discussion'),
    ...noteKeys('notes.'),
    threadKeys,
    validationPrefix,
  },
  ...discussionsOf(
    { path: 'issues/:issue_iid', field: 'issue', begins: { hidden: UNPOSITIONED }, changes },
    {
      list: operations.IssueDiscussionsDocument,
      read: operations.IssueDiscussionDocument,
      create: mutation('CreateIssueDiscussion', 'createNote.discussion', '...DiscussionRecord').operation,
      notes: operations.IssueDiscussionNotesDocument,
      note: operations.IssueDiscussionNoteDocument,
      answer: mutation('CreateIssueDiscussionNote', 'createNote.note', '...NoteRecord').operation,
      update: mutation('UpdateIssueDiscussionNote', 'updateNote.note', '...NoteRecord').operation,
      remove: mutation('DeleteIssueDiscussionNote', 'deleteNote', 'deletedNoteId').operation,
    },
  ),
  ...discussionsOf(
    { path: 'snippets/:snippet_id', field: 'snippet', begins: { hidden: UNPOSITIONED }, changes },
    {
      list: operations.SnippetDiscussionsDocument,
      read: operations.SnippetDiscussionDocument,
      create: mutation('CreateSnippetDiscussion', 'createNote.discussion', '...DiscussionRecord').operation,
      notes: operations.SnippetDiscussionNotesDocument,
      note: operations.SnippetDiscussionNoteDocument,
      answer: mutation('CreateSnippetDiscussionNote', 'createNote.note', '...NoteRecord').operation,
      update: mutation('UpdateSnippetDiscussionNote', 'updateNote.note', '...NoteRecord').operation,
      remove: mutation('DeleteSnippetDiscussionNote', 'deleteNote', 'deletedNoteId').operation,
    },
  ),
  ...discussionsOf(
    {
      path: 'repository/commits/:commit_id',
      field: 'repository.commit',
      noun: 'CommitComment',
      names: { sha: 'commit_id', note: 'body' },
      begins: POSITIONED,
    },
    {
      list: operations.CommitDiscussionsDocument,
      read: operations.CommitDiscussionDocument,
      create: mutation('CreateCommitDiscussion', 'createCommitComment.discussion', '...DiscussionRecord').operation,
      notes: operations.CommitDiscussionNotesDocument,
      note: operations.CommitDiscussionNoteDocument,
      answer: mutation('CreateCommitDiscussionNote', 'createCommitComment.note', '...NoteRecord').operation,
      update: mutation('UpdateCommitDiscussionNote', 'updateCommitComment.note', '...NoteRecord').operation,
      remove: mutation('DeleteCommitDiscussionNote', 'deleteCommitComment', 'deletedCommitCommentId').operation,
    },
  ),
];
