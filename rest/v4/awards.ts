import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the awards of one kind of record. */
interface Operations {
  list: Route['operation'];
  read: Route['operation'];
  give: Route['operation'];
  takeBack: Route['operation'];
}

const MISSING = '404 Award Emoji Not Found';
/** The message for unreadable records, the same whether they exist or not (behaviour.md 1.3). */
const notFound = { Issue: MISSING, MergeRequest: MISSING, Snippet: MISSING, Note: MISSING };
const refused = { status: 404, message: MISSING };

/** @param record path of one record; @param field of the project that finds it */
function awardsOn(record: string, field: string, { list, read, give, takeBack }: Operations): Route[] {
  const path = `/projects/:id/${record}/award_emoji`;
  const one = `${path}/:award_id`;
  return [
    { method: 'GET', path, operation: list, result: `project.${field}.awards`, notFound, refused },
    { method: 'GET', path: one, operation: read, result: `project.${field}.award`, notFound, refused },
    {
      method: 'POST',
      path,
      operation: give,
      result: 'giveAward.award',
      notFound,
      refused,
      failure: { VALIDATION_FAILED: 404 },
      validationPrefix: 'Award Emoji',
    },
    {
      method: 'DELETE',
      path: one,
      operation: takeBack,
      result: 'takeAwardBack',
      status: 204,
      notFound,
      refused: { status: 401, message: '401 Unauthorized' },
    },
  ];
}

export const awards: Route[] = [
  ...awardsOn('issues/:issue_iid', 'issue', {
    list: operations.IssueAwardsDocument,
    read: operations.IssueAwardDocument,
    give: mutation('GiveIssueAward', 'giveAward.award', '...AwardRecord').operation,
    takeBack: mutation('TakeIssueAwardBack', 'takeAwardBack', 'deletedAwardId').operation,
  }),
  ...awardsOn('issues/:issue_iid/notes/:note_id', 'issue.note', {
    list: operations.IssueNoteAwardsDocument,
    read: operations.IssueNoteAwardDocument,
    give: mutation('GiveIssueNoteAward', 'giveAward.award', '...AwardRecord').operation,
    takeBack: mutation('TakeIssueNoteAwardBack', 'takeAwardBack', 'deletedAwardId').operation,
  }),
  ...awardsOn('merge_requests/:merge_request_iid', 'mergeRequest', {
    list: operations.MergeRequestAwardsDocument,
    read: operations.MergeRequestAwardDocument,
    give: mutation('GiveMergeRequestAward', 'giveAward.award', '...AwardRecord').operation,
    takeBack: mutation('TakeMergeRequestAwardBack', 'takeAwardBack', 'deletedAwardId').operation,
  }),
  ...awardsOn('merge_requests/:merge_request_iid/notes/:note_id', 'mergeRequest.note', {
    list: operations.MergeRequestNoteAwardsDocument,
    read: operations.MergeRequestNoteAwardDocument,
    give: mutation('GiveMergeRequestNoteAward', 'giveAward.award', '...AwardRecord').operation,
    takeBack: mutation('TakeMergeRequestNoteAwardBack', 'takeAwardBack', 'deletedAwardId').operation,
  }),
  ...awardsOn('snippets/:snippet_id', 'snippet', {
    list: operations.SnippetAwardsDocument,
    read: operations.SnippetAwardDocument,
    give: mutation('GiveSnippetAward', 'giveAward.award', '...AwardRecord').operation,
    takeBack: mutation('TakeSnippetAwardBack', 'takeAwardBack', 'deletedAwardId').operation,
  }),
  ...awardsOn('snippets/:snippet_id/notes/:note_id', 'snippet.note', {
    list: operations.SnippetNoteAwardsDocument,
    read: operations.SnippetNoteAwardDocument,
    give: mutation('GiveSnippetNoteAward', 'giveAward.award', '...AwardRecord').operation,
    takeBack: mutation('TakeSnippetNoteAwardBack', 'takeAwardBack', 'deletedAwardId').operation,
  }),
];
