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
    operation: operations.SetIssueTimeEstimateDocument,
    result: 'setIssueTimeEstimate.issue',
    status: 200,
  },
  {
    method: 'POST',
    path: `${issue}/reset_time_estimate`,
    operation: operations.ResetIssueTimeEstimateDocument,
    result: 'resetIssueTimeEstimate.issue',
    status: 200,
  },
  {
    method: 'POST',
    path: `${issue}/add_spent_time`,
    operation: operations.AddIssueSpentTimeDocument,
    result: 'addIssueSpentTime.issue',
  },
  {
    method: 'POST',
    path: `${issue}/reset_spent_time`,
    operation: operations.ResetIssueSpentTimeDocument,
    result: 'resetIssueSpentTime.issue',
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
    operation: operations.SetMergeRequestTimeEstimateDocument,
    result: 'setMergeRequestTimeEstimate.mergeRequest',
    status: 200,
  },
  {
    method: 'POST',
    path: `${mergeRequest}/reset_time_estimate`,
    operation: operations.ResetMergeRequestTimeEstimateDocument,
    result: 'resetMergeRequestTimeEstimate.mergeRequest',
    status: 200,
  },
  {
    method: 'POST',
    path: `${mergeRequest}/add_spent_time`,
    operation: operations.AddMergeRequestSpentTimeDocument,
    result: 'addMergeRequestSpentTime.mergeRequest',
  },
  {
    method: 'POST',
    path: `${mergeRequest}/reset_spent_time`,
    operation: operations.ResetMergeRequestSpentTimeDocument,
    result: 'resetMergeRequestSpentTime.mergeRequest',
    status: 200,
  },
];
