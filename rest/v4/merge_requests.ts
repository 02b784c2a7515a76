import type { Route } from '#rest/engine/route.ts';
import { mergeRequestFilters } from '#rest/v4/filters.ts';
import * as operations from '#src/generated/operations.ts';

const commaSeparated = ['labels'];

export const mergeRequests: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/merge_requests',
    operation: operations.ProjectMergeRequestsDocument,
    result: 'project.mergeRequests',
    ...mergeRequestFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid',
    operation: operations.ProjectMergeRequestDocument,
    result: 'project.mergeRequest',
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests',
    operation: operations.CreateMergeRequestDocument,
    result: 'createMergeRequest.mergeRequest',
    commaSeparated,
    numericIds: ['target_project_id'],
    conflictsListed: true,
    alsoRefuses: [422],
  },
  {
    method: 'PUT',
    path: '/projects/:id/merge_requests/:merge_request_iid',
    operation: operations.UpdateMergeRequestDocument,
    result: 'updateMergeRequest.mergeRequest',
    commaSeparated,
    notBlank: ['title', 'target_branch'],
    atLeastOne: [
      'title',
      'target_branch',
      'description',
      'assignee_id',
      'assignee_ids',
      'reviewer_ids',
      'milestone_id',
      'labels',
      'state_event',
      'remove_source_branch',
    ],
    conflictsListed: true,
    alsoRefuses: [422],
  },
  {
    method: 'DELETE',
    path: '/projects/:id/merge_requests/:merge_request_iid',
    operation: operations.DeleteMergeRequestDocument,
    result: 'deleteMergeRequest',
    status: 204,
  },
  {
    method: 'PUT',
    path: '/projects/:id/merge_requests/:merge_request_iid/merge',
    operation: operations.AcceptMergeRequestDocument,
    result: 'acceptMergeRequest.mergeRequest',
    alsoRefuses: [401, 405, 406],
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds',
    operation: operations.CancelMergeWhenPipelineSucceedsDocument,
    result: 'cancelMergeWhenPipelineSucceeds.mergeRequest',
    alsoRefuses: [401, 406],
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/commits',
    operation: operations.MergeRequestCommitsDocument,
    result: 'project.mergeRequest.commits',
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/changes',
    operation: operations.MergeRequestChangesDocument,
    result: 'project.mergeRequest',
    omitNull: ['changes.too_large'],
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
    operation: operations.MergeRequestClosesIssuesDocument,
    result: 'project.mergeRequest.closesIssues',
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/versions',
    operation: operations.MergeRequestVersionsDocument,
    result: 'project.mergeRequest.versions',
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/versions/:version_id',
    operation: operations.MergeRequestVersionDocument,
    result: 'project.mergeRequest.version',
    omitNull: ['diffs.too_large'],
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/subscribe',
    operation: operations.SubscribeToMergeRequestDocument,
    result: 'subscribeToMergeRequest.mergeRequest',
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/unsubscribe',
    operation: operations.UnsubscribeFromMergeRequestDocument,
    result: 'unsubscribeFromMergeRequest.mergeRequest',
  },
];
