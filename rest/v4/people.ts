import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const at = '/projects/:id/merge_requests/:merge_request_iid';

/** Approvers are named by rules alone, and no password is asked for. */
const constants = {
  approvals_before_merge: 0,
  approvers: [],
  approver_groups: [],
  require_password_to_approve: false,
};

/** The users who have to do with issues and merge requests. */
export const people: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/issues/:issue_iid/participants',
    operation: operations.IssueParticipantsDocument,
    result: 'project.issue.participants',
  },
  {
    method: 'GET',
    path: `${at}/participants`,
    operation: operations.MergeRequestParticipantsDocument,
    result: 'project.mergeRequest.participants',
  },
  {
    method: 'GET',
    path: `${at}/reviewers`,
    operation: operations.MergeRequestReviewersDocument,
    result: 'project.mergeRequest.reviews',
  },
  {
    method: 'GET',
    path: `${at}/approvals`,
    operation: operations.MergeRequestApprovalsDocument,
    result: 'project.mergeRequest',
    constants,
  },
  {
    method: 'GET',
    path: `${at}/approval_state`,
    operation: operations.MergeRequestApprovalStateDocument,
    result: 'project.mergeRequest',
  },
  {
    method: 'POST',
    path: `${at}/approve`,
    ...mutation('ApproveMergeRequest', 'approveMergeRequest.mergeRequest', '...MergeRequestApprovals', 'changed'),
    whenUnchanged: { at: 'approveMergeRequest.changed', status: 401, message: '401 Unauthorized' },
    constants,
    alsoRefuses: [401, 409],
  },
  {
    method: 'POST',
    path: `${at}/unapprove`,
    ...mutation('UnapproveMergeRequest', 'unapproveMergeRequest.mergeRequest', '...MergeRequestApprovals', 'changed'),
    whenUnchanged: { at: 'unapproveMergeRequest.changed', status: 404, message: '404 Approval Not Found' },
    constants,
    alsoRefuses: [401],
  },
  {
    method: 'PUT',
    path: `${at}/reset_approvals`,
    operation: operations.ResetMergeRequestApprovalsDocument,
    result: 'resetMergeRequestApprovals.mergeRequest',
    status: 202,
    body: { message: '202 Accepted' },
    forbidden: { status: 401, message: '401 Unauthorized' },
  },
];
