import { notEmpty } from '#rest/engine/checks.ts';
import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { mergeRequestFilters } from '#rest/v4/filters.ts';
import * as operations from '#src/generated/operations.ts';

const commaSeparated = ['labels', 'add_labels', 'remove_labels'];
/** Whether the source branch is shared, which only forks do. */
export const ofForks = (at = '') => [`${at}allow_collaboration`, `${at}allow_maintainer_to_push`];
const omitNull = ofForks();
const synonyms = { allow_maintainer_to_push: 'allow_collaboration' };
const exclusive = [['milestone', 'milestone_id']];
/** The coverage of pipelines is a text in this API. */
const decimals = { 'head_pipeline.coverage': 2 };

/** With `with_labels_details`. */
const replaceKey = { labels: 'label_details' };

export const mergeRequests: Route[] = [
  {
    method: 'GET',
    path: '/merge_requests',
    operation: operations.MergeRequestsDocument,
    result: 'mergeRequests',
    omitNull,
    replaceKey,
    ...mergeRequestFilters,
  },
  {
    method: 'GET',
    path: '/groups/:id/merge_requests',
    operation: operations.GroupMergeRequestsDocument,
    result: 'group.mergeRequests',
    omitNull,
    replaceKey,
    ...mergeRequestFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/merge_requests',
    operation: operations.CommitMergeRequestsDocument,
    result: 'project.repository.commit.mergeRequests',
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests',
    operation: operations.ProjectMergeRequestsDocument,
    result: 'project.mergeRequests',
    omitNull,
    replaceKey,
    ...mergeRequestFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid',
    operation: operations.ProjectMergeRequestDocument,
    result: 'project.mergeRequest',
    decimals,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests',
    ...mutation('CreateMergeRequest', 'createMergeRequest.mergeRequest', '...MergeRequestDetail'),
    required: ['title', 'source_branch', 'target_branch'],
    names: { target_project: 'target_project_id' },
    hidden: ['draft', 'assignee_usernames', 'reviewer_usernames'],
    preset: { ignoreForbidden: true },
    decimals,
    omitNull,
    commaSeparated,
    exclusive,
    synonyms,
    numericIds: ['target_project_id'],
    conflictsListed: true,
    alsoRefuses: [422],
  },
  {
    method: 'PUT',
    path: '/projects/:id/merge_requests/:merge_request_iid',
    ...mutation('UpdateMergeRequest', 'updateMergeRequest.mergeRequest', '...MergeRequestDetail'),
    hidden: ['draft', 'assignee_usernames', 'reviewer_usernames'],
    preset: { ignoreForbidden: true },
    decimals,
    omitNull,
    commaSeparated,
    exclusive,
    synonyms,
    check: notEmpty('title', 'target_branch'),
    atLeastOne: [
      'title',
      'target_branch',
      'description',
      'assignee_id',
      'assignee_ids',
      'reviewer_ids',
      'milestone_id',
      'milestone',
      'labels',
      'add_labels',
      'remove_labels',
      'state_event',
      'remove_source_branch',
      'squash',
      'allow_collaboration',
      'discussion_locked',
      'merge_after',
    ],
    conflictsListed: true,
    alsoRefuses: [422],
  },
  {
    method: 'DELETE',
    path: '/projects/:id/merge_requests/:merge_request_iid',
    ...mutation('DeleteMergeRequest', 'deleteMergeRequest', 'deletedMergeRequestId'),
    status: 204,
  },
  {
    method: 'PUT',
    path: '/projects/:id/merge_requests/:merge_request_iid/merge',
    ...mutation('AcceptMergeRequest', 'acceptMergeRequest.mergeRequest', '...MergeRequestDetail'),
    synonyms: { auto_merge: 'merge_when_pipeline_succeeds' },
    decimals,
    omitNull,
    alsoRefuses: [401, 405, 406],
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds',
    ...mutation(
      'CancelMergeWhenPipelineSucceeds',
      'cancelMergeWhenPipelineSucceeds.mergeRequest',
      '...MergeRequestDetail',
    ),
    decimals,
    omitNull,
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
    decimals,
    omitNull,
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/diffs',
    operation: operations.MergeRequestDiffsDocument,
    result: 'project.mergeRequest.fileDiffs',
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/raw_diffs',
    operation: operations.MergeRequestRawDiffsDocument,
    description:
      'The text of all changes, as `git diff` writes it. Where files are missing at the end or are too large, the header `X-Diff-Overflow` is `true`.',
    result: 'project.mergeRequest',
    raw: 'text',
    flags: { 'X-Diff-Overflow': 'overflow' },
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
    operation: operations.MergeRequestPipelinesDocument,
    result: 'project.mergeRequest.pipelines',
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
    operation: operations.CreateMergeRequestPipelineDocument,
    result: 'createMergeRequestPipeline.pipeline',
    status: 200,
    decimals: { coverage: 2 },
    whenNoRecord: {},
    alsoRefuses: [405],
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
    operation: operations.MergeRequestMergeRefDocument,
    result: 'project.mergeRef',
  },
  {
    method: 'PUT',
    path: '/projects/:id/merge_requests/:merge_request_iid/rebase',
    operation: operations.RebaseMergeRequestDocument,
    result: 'rebaseMergeRequest.mergeRequest',
    status: 202,
  },
  {
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/related_issues',
    operation: operations.MergeRequestRelatedIssuesDocument,
    result: 'project.mergeRequest.relatedIssues',
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
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/subscribe',
    ...mutation('SubscribeToMergeRequest', 'subscribeToMergeRequest.mergeRequest', '...MergeRequestDetail', 'changed'),
    whenUnchanged: { at: 'subscribeToMergeRequest.changed', status: 304 },
    decimals,
    omitNull,
  },
  {
    method: 'POST',
    path: '/projects/:id/merge_requests/:merge_request_iid/unsubscribe',
    ...mutation(
      'UnsubscribeFromMergeRequest',
      'unsubscribeFromMergeRequest.mergeRequest',
      '...MergeRequestDetail',
      'changed',
    ),
    whenUnchanged: { at: 'unsubscribeFromMergeRequest.changed', status: 304 },
    decimals,
    omitNull,
  },
];
