import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the threads on one kind of record. */
interface Operations {
  list: Route['operation'];
  read: Route['operation'];
  notes: Route['operation'];
  note: Route['operation'];
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
  { list, read, notes, note }: Operations,
): Route[] {
  const path = `/projects/:id/${record}/discussions`;
  const last = field.split('.').at(-1) ?? '';
  const kind = last.charAt(0).toUpperCase() + last.slice(1);
  const thread = `${path}/:discussion_id`;
  const one = `${thread}/notes/:note_id`;
  const discussion = { ...missing('Discussion'), ...noteKeys('notes.') };
  // There are no quick actions on commits.
  const done = noun === 'Note' && { whenNoRecord: { message: 'Commands applied' } };
  // Records that are not readable are not there (behaviour.md 1.3).
  const hidden = (what: string) => noun === 'Note' && { forbidden: { status: 404, message: `404 ${what} Not Found` } };
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
      ...mutation(`Create${kind}Discussion`, `create${noun}.discussion`, '...DiscussionRecord'),
      names,
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
      ...mutation(`Create${kind}DiscussionNote`, `create${noun}.note`, '...NoteRecord'),
      names,
      hidden: ['start_discussion', ...OF_NOTES, ...UNPOSITIONED],
      preset: { ignoreForbidden: true },
      ...ofThread,
      ...missing('Discussion'),
      validationPrefix,
      ...done,
    },
    { method: 'GET', path: one, operation: note, result: `project.${field}.note`, ...ofThread, ...hidden('Note') },
    {
      method: 'PUT',
      path: one,
      ...mutation(`Update${kind}DiscussionNote`, `update${noun}.note`, '...NoteRecord'),
      names,
      ...ofThread,
      validationPrefix,
      ...changes,
    },
    {
      method: 'DELETE',
      path: one,
      ...mutation(`Delete${kind}DiscussionNote`, `delete${noun}`, `deleted${noun}Id`),
      names,
      status: 204,
      ...ofThread,
    },
  ];
}

const POSITIONED = { neededWithin: ['position[base_sha]', 'position[position_type]'] };
/** What begins a thread in its place alone. */
const UNPOSITIONED = ['commit_sha', 'lenient_position', 'position'];
/** What a note of a thread is not asked for. */
const OF_NOTES = ['internal', 'line', 'line_type', 'path'];
/** A note is edited, or its thread resolved. */
const changes = {
  check({ body, resolved }) {
    if ((body != null) !== (resolved != null)) return [];
    const isMissing = body == null;
    return [
      `body, resolved are ${isMissing ? 'missing, exactly one parameter must be provided' : 'mutually exclusive'}`,
    ];
  },
} satisfies Partial<Route>;

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
      notes: operations.MergeRequestDiscussionNotesDocument,
      note: operations.MergeRequestDiscussionNoteDocument,
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
      notes: operations.IssueDiscussionNotesDocument,
      note: operations.IssueDiscussionNoteDocument,
    },
  ),
  ...discussionsOf(
    { path: 'snippets/:snippet_id', field: 'snippet', begins: { hidden: UNPOSITIONED }, changes },
    {
      list: operations.SnippetDiscussionsDocument,
      read: operations.SnippetDiscussionDocument,
      notes: operations.SnippetDiscussionNotesDocument,
      note: operations.SnippetDiscussionNoteDocument,
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
      notes: operations.CommitDiscussionNotesDocument,
      note: operations.CommitDiscussionNoteDocument,
    },
  ),
];
