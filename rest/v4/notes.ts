import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the notes of one kind of record. */
interface Operations {
  list: Route['operation'];
  read: Route['operation'];
}

/** What notes of threads have besides (discussions.ts). */
const OF_THREADS = ['commit_sha', 'discussion_id', 'lenient_position', 'position', 'start_discussion'];

/** The message for unreadable records (behaviour.md 1.3): the same whether they exist or not. */
const unreadable = (message: string) => ({ Issue: message, MergeRequest: message, Snippet: message });

/** The response to a note with quick actions only: they were applied, and no note was created. */
const APPLIED = { message: 'Commands applied' };

/** @param records path of one record; @param field of the project that finds it; @param noun what operations call it */
function notesOf(records: string, field: string, noun: string, { list, read }: Operations): Route[] {
  const path = `/projects/:id/${records}/notes`;
  const one = `${path}/:note_id`;
  const notFound = unreadable('404 Note Not Found');
  const validationPrefix = 'Failed to save note';
  const keys = noteKeys();
  return [
    {
      method: 'GET',
      path,
      operation: list,
      result: `project.${field}.notes`,
      notFound: unreadable('404 Notes Not Found'),
      forbidden: { status: 404, message: '404 Notes Not Found' },
      ...keys,
    },
    {
      method: 'GET',
      path: one,
      operation: read,
      result: `project.${field}.note`,
      notFound,
      forbidden: { status: 404, message: '404 Note Not Found' },
      ...keys,
    },
    {
      method: 'POST',
      path,
      ...mutation(`Create${noun}Note`, 'createNote.note', '...NoteRecord', 'notApplied'),
      hidden: [...OF_THREADS, ...(field === 'snippet' ? ['internal'] : [])],
      preset: { ignoreForbidden: true },
      notFound,
      validationPrefix,
      whenNoRecord: APPLIED,
      withNoRecord: { commands_only: 'createNote.notApplied' },
      synonyms: field === 'snippet' ? {} : { confidential: 'internal' },
      ...keys,
    },
    {
      method: 'PUT',
      path: one,
      ...mutation(`Update${noun}Note`, 'updateNote.note', '...NoteRecord'),
      hidden: ['discussion_id', 'resolved'],
      required: ['body'],
      notFound,
      validationPrefix,
      ...keys,
    },
    {
      method: 'DELETE',
      path: one,
      ...mutation(`Delete${noun}Note`, 'deleteNote', 'deletedNoteId'),
      hidden: ['discussion_id'],
      status: 204,
      notFound,
    },
  ];
}

export const notes: Route[] = [
  ...notesOf('issues/:issue_iid', 'issue', 'Issue', {
    list: operations.IssueNotesDocument,
    read: operations.IssueNoteDocument,
  }),
  ...notesOf('merge_requests/:merge_request_iid', 'mergeRequest', 'MergeRequest', {
    list: operations.MergeRequestNotesDocument,
    read: operations.MergeRequestNoteDocument,
  }),
  ...notesOf('snippets/:snippet_id', 'snippet', 'Snippet', {
    list: operations.SnippetNotesDocument,
    read: operations.SnippetNoteDocument,
  }),
];
