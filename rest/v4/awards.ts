import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the awards of one kind of record. */
interface Operations {
  list: Route['operation'];
  read: Route['operation'];
}

const MISSING = '404 Award Emoji Not Found';
/** The message for unreadable records, the same whether they exist or not (behaviour.md 1.3). */
const notFound = { Issue: MISSING, MergeRequest: MISSING, Snippet: MISSING, Note: MISSING };
const forbidden = { status: 404, message: MISSING };

/** @param record path of one record; @param field of the project that finds it; @param noun what operations call it */
function awardsOn(record: string, field: string, noun: string, { list, read }: Operations): Route[] {
  const path = `/projects/:id/${record}/award_emoji`;
  const one = `${path}/:award_id`;
  return [
    { method: 'GET', path, operation: list, result: `project.${field}.awards`, notFound, forbidden },
    { method: 'GET', path: one, operation: read, result: `project.${field}.award`, notFound, forbidden },
    {
      method: 'POST',
      path,
      ...mutation(`Give${noun}Award`, 'giveAward.award', '...AwardRecord'),
      notFound,
      forbidden,
      failure: { VALIDATION_FAILED: 404 },
      validationPrefix: 'Award Emoji',
    },
    {
      method: 'DELETE',
      path: one,
      ...mutation(`Take${noun}AwardBack`, 'takeAwardBack', 'deletedAwardId'),
      status: 204,
      notFound,
      forbidden: { status: 401, message: '401 Unauthorized' },
    },
  ];
}

export const awards: Route[] = [
  ...awardsOn('issues/:issue_iid', 'issue', 'Issue', {
    list: operations.IssueAwardsDocument,
    read: operations.IssueAwardDocument,
  }),
  ...awardsOn('issues/:issue_iid/notes/:note_id', 'issue.note', 'IssueNote', {
    list: operations.IssueNoteAwardsDocument,
    read: operations.IssueNoteAwardDocument,
  }),
  ...awardsOn('merge_requests/:merge_request_iid', 'mergeRequest', 'MergeRequest', {
    list: operations.MergeRequestAwardsDocument,
    read: operations.MergeRequestAwardDocument,
  }),
  ...awardsOn('merge_requests/:merge_request_iid/notes/:note_id', 'mergeRequest.note', 'MergeRequestNote', {
    list: operations.MergeRequestNoteAwardsDocument,
    read: operations.MergeRequestNoteAwardDocument,
  }),
  ...awardsOn('snippets/:snippet_id', 'snippet', 'Snippet', {
    list: operations.SnippetAwardsDocument,
    read: operations.SnippetAwardDocument,
  }),
  ...awardsOn('snippets/:snippet_id/notes/:note_id', 'snippet.note', 'SnippetNote', {
    list: operations.SnippetNoteAwardsDocument,
    read: operations.SnippetNoteAwardDocument,
  }),
];
