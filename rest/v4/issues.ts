import type { Route } from '#rest/engine/route.ts';
import { issueFilters } from '#rest/v4/filters.ts';
import { ofForks } from '#rest/v4/merge_requests.ts';
import * as operations from '#src/generated/operations.ts';

const commaSeparated = ['labels', 'add_labels', 'remove_labels'];
const exclusive = [['milestone', 'milestone_id']];
/** The text about tasks is there where there are tasks. */
const onlyWith = { has_tasks: ['task_status'] };
const statistics = ['statistics', 'counts'];
/** These two look the issue up by name (behaviour.md 1.3). */
const notFound = { Issue: '404 Issue Not Found' };

/** With `with_labels_details`. */
const instead = { labels: 'label_details' };

export const issues: Route[] = [
  {
    method: 'GET',
    path: '/issues',
    operation: operations.IssuesDocument,
    result: 'issues',
    onlyWith,
    instead,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/groups/:id/issues',
    operation: operations.GroupIssuesDocument,
    result: 'group.issues',
    onlyWith,
    instead,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues',
    operation: operations.ProjectIssuesDocument,
    result: 'project.issues',
    onlyWith,
    instead,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/issues_statistics',
    operation: operations.IssuesStatisticsDocument,
    result: 'issueCounts',
    within: statistics,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/groups/:id/issues_statistics',
    operation: operations.GroupIssuesStatisticsDocument,
    result: 'group.issueCounts',
    within: statistics,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues_statistics',
    operation: operations.ProjectIssuesStatisticsDocument,
    result: 'project.issueCounts',
    within: statistics,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues/:issue_iid',
    operation: operations.ProjectIssueDocument,
    result: 'project.issue',
    onlyWith,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues/:issue_iid/related_merge_requests',
    operation: operations.IssueRelatedMergeRequestsDocument,
    result: 'project.issue.relatedMergeRequests',
    decimals: { 'head_pipeline.coverage': 2 },
    omitNull: ofForks(),
  },
  {
    method: 'GET',
    path: '/projects/:id/issues/:issue_iid/closed_by',
    operation: operations.IssueClosedByDocument,
    result: 'project.issue.closingMergeRequests',
    omitNull: ofForks(),
  },
  {
    method: 'POST',
    path: '/projects/:id/issues',
    operation: operations.CreateIssueDocument,
    hidden: ['assignee_usernames'],
    required: ['title'],
    preset: { ignoreForbidden: true },
    result: 'createIssue.issue',
    alsoRefuses: [409],
    onlyWith,
    commaSeparated,
    exclusive,
  },
  {
    method: 'PUT',
    path: '/projects/:id/issues/:issue_iid',
    operation: operations.UpdateIssueDocument,
    hidden: ['assignee_usernames'],
    preset: { ignoreForbidden: true },
    result: 'updateIssue.issue',
    onlyWith,
    commaSeparated,
    exclusive,
    atLeastOne: [
      'title',
      'description',
      'assignee_id',
      'assignee_ids',
      'milestone_id',
      'milestone',
      'labels',
      'add_labels',
      'remove_labels',
      'created_at',
      'due_date',
      'confidential',
      'discussion_locked',
      'state_event',
      'updated_at',
      'severity',
    ],
  },
  {
    method: 'DELETE',
    path: '/projects/:id/issues/:issue_iid',
    operation: operations.DeleteIssueDocument,
    result: 'deleteIssue',
    status: 204,
    notFound,
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/move',
    operation: operations.MoveIssueDocument,
    names: { to: 'to_project_id' },
    result: 'moveIssue.issue',
    onlyWith,
    notFound,
  },
  {
    method: 'PUT',
    path: '/projects/:id/issues/:issue_iid/reorder',
    operation: operations.ReorderIssueDocument,
    names: { after_id: 'move_after_id', before_id: 'move_before_id' },
    result: 'reorderIssue.issue',
    onlyWith,
    alsoRefuses: [422],
    atLeastOne: ['move_after_id', 'move_before_id'],
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/subscribe',
    operation: operations.SubscribeToIssueDocument,
    result: 'subscribeToIssue.issue',
    onlyWith,
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/unsubscribe',
    operation: operations.UnsubscribeFromIssueDocument,
    result: 'unsubscribeFromIssue.issue',
    onlyWith,
  },
];
