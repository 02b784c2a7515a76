import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const issue = '/projects/:id/issues/:issue_iid';
const mergeRequest = '/projects/:id/merge_requests/:merge_request_iid';

export const timeTracking: Route[] = [
  {
    method: 'GET',
    path: `${issue}/time_stats`,
    operation: operations.IssueTimeStatsDocument,
    result: 'project.issue',
    description: 'The estimate of the issue, and the time spent on it.',
  },
  {
    method: 'POST',
    path: `${issue}/time_estimate`,
    ...mutation('SetIssueTimeEstimate', 'setIssueTimeEstimate.issue', '...IssueTimeStats'),
    status: 200,
  },
  {
    method: 'POST',
    path: `${issue}/reset_time_estimate`,
    ...mutation('ResetIssueTimeEstimate', 'resetIssueTimeEstimate.issue', '...IssueTimeStats'),
    status: 200,
  },
  {
    method: 'POST',
    path: `${issue}/add_spent_time`,
    ...mutation('AddIssueSpentTime', 'addIssueSpentTime.issue', '...IssueTimeStats'),
  },
  {
    method: 'POST',
    path: `${issue}/reset_spent_time`,
    ...mutation('ResetIssueSpentTime', 'resetIssueSpentTime.issue', '...IssueTimeStats'),
    status: 200,
  },
  {
    method: 'GET',
    path: `${mergeRequest}/time_stats`,
    operation: operations.MergeRequestTimeStatsDocument,
    result: 'project.mergeRequest',
    description: 'The estimate of the merge request, and the time spent on it.',
  },
  {
    method: 'POST',
    path: `${mergeRequest}/time_estimate`,
    ...mutation('SetMergeRequestTimeEstimate', 'setMergeRequestTimeEstimate.mergeRequest', '...MergeRequestTimeStats'),
    status: 200,
  },
  {
    method: 'POST',
    path: `${mergeRequest}/reset_time_estimate`,
    ...mutation(
      'ResetMergeRequestTimeEstimate',
      'resetMergeRequestTimeEstimate.mergeRequest',
      '...MergeRequestTimeStats',
    ),
    status: 200,
  },
  {
    method: 'POST',
    path: `${mergeRequest}/add_spent_time`,
    ...mutation('AddMergeRequestSpentTime', 'addMergeRequestSpentTime.mergeRequest', '...MergeRequestTimeStats'),
  },
  {
    method: 'POST',
    path: `${mergeRequest}/reset_spent_time`,
    ...mutation('ResetMergeRequestSpentTime', 'resetMergeRequestSpentTime.mergeRequest', '...MergeRequestTimeStats'),
    status: 200,
  },
];
