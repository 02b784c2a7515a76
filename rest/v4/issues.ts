import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { issueFilters } from '#rest/v4/filters.ts';
import { ofForks } from '#rest/v4/merge_requests.ts';
import * as operations from '#src/generated/operations.ts';

const commaSeparated = ['labels', 'add_labels', 'remove_labels'];
const exclusive = [['milestone', 'milestone_id']];
/** The text about tasks is there where there are tasks. */
const omitUnless = { has_tasks: ['task_status'] };
const statistics = ['statistics', 'counts'];
/** These two look the issue up by name (behaviour.md 1.3). */
const notFound = { Issue: '404 Issue Not Found' };

/** With `with_labels_details`. */
const replaceKey = { labels: 'label_details' };

/** v4 names assignees by ID, and has paths of its own for the order and for links; of tasks it knows nothing. */
const RELATIONS = ['assignee_usernames', 'parent_id', 'add_child_ids', 'after_id', 'before_id'];

export const issues: Route[] = [
  {
    method: 'GET',
    path: '/issues',
    operation: operations.IssuesDocument,
    result: 'issues',
    omitUnless,
    replaceKey,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/groups/:id/issues',
    operation: operations.GroupIssuesDocument,
    result: 'group.issues',
    omitUnless,
    replaceKey,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues',
    operation: operations.ProjectIssuesDocument,
    result: 'project.issues',
    omitUnless,
    replaceKey,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/issues_statistics',
    operation: operations.IssuesStatisticsDocument,
    result: 'issueCounts',
    wrapIn: statistics,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/groups/:id/issues_statistics',
    operation: operations.GroupIssuesStatisticsDocument,
    result: 'group.issueCounts',
    wrapIn: statistics,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues_statistics',
    operation: operations.ProjectIssuesStatisticsDocument,
    result: 'project.issueCounts',
    wrapIn: statistics,
    ...issueFilters,
  },
  {
    method: 'GET',
    path: '/projects/:id/issues/:issue_iid',
    operation: operations.ProjectIssueDocument,
    result: 'project.issue',
    omitUnless,
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
    ...mutation('CreateIssue', 'createIssue.issue', '...IssueDetail'),
    hidden: [...RELATIONS, 'links'],
    names: { type: 'issue_type' },
    required: ['title'],
    preset: { ignoreForbidden: true },
    alsoRefuses: [409],
    omitUnless,
    commaSeparated,
    exclusive,
  },
  {
    method: 'PUT',
    path: '/projects/:id/issues/:issue_iid',
    ...mutation('UpdateIssue', 'updateIssue.issue', '...IssueDetail'),
    hidden: RELATIONS,
    names: { type: 'issue_type' },
    preset: { ignoreForbidden: true },
    omitUnless,
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
      'issue_type',
    ],
  },
  {
    method: 'DELETE',
    path: '/projects/:id/issues/:issue_iid',
    ...mutation('DeleteIssue', 'deleteIssue', 'deletedIssueId'),
    status: 204,
    notFound,
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/move',
    ...mutation('MoveIssue', 'moveIssue.issue', '...IssueDetail'),
    names: { to: 'to_project_id' },
    omitUnless,
    notFound,
  },
  {
    method: 'PUT',
    path: '/projects/:id/issues/:issue_iid/reorder',
    ...mutation('ReorderIssue', 'reorderIssue.issue', '...IssueDetail'),
    names: { after_id: 'move_after_id', before_id: 'move_before_id' },
    omitUnless,
    alsoRefuses: [422],
    atLeastOne: ['move_after_id', 'move_before_id'],
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/subscribe',
    ...mutation('SubscribeToIssue', 'subscribeToIssue.issue', '...IssueDetail', 'changed'),
    whenUnchanged: { at: 'subscribeToIssue.changed', status: 304 },
    omitUnless,
  },
  {
    method: 'POST',
    path: '/projects/:id/issues/:issue_iid/unsubscribe',
    ...mutation('UnsubscribeFromIssue', 'unsubscribeFromIssue.issue', '...IssueDetail', 'changed'),
    whenUnchanged: { at: 'unsubscribeFromIssue.changed', status: 304 },
    omitUnless,
  },
];
