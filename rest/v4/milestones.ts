import { allOrNone } from '#rest/engine/checks.ts';
import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { ofForks } from '#rest/v4/merge_requests.ts';
import * as operations from '#src/generated/operations.ts';

const changes = ['title', 'description', 'start_date', 'due_date', 'state_event'];
const filters = {
  check: allOrNone('start_date', 'end_date'),
  aliases: { include_parent_milestones: 'include_ancestors' },
};
const ofGroup = '/groups/:id/milestones';
const one = `${ofGroup}/:milestone_id`;

export const milestones: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/milestones',
    operation: operations.ProjectMilestonesDocument,
    result: 'project.milestones',
    ...filters,
  },
  {
    method: 'GET',
    path: '/projects/:id/milestones/:milestone_id',
    operation: operations.ProjectMilestoneDocument,
    result: 'project.milestone',
  },
  {
    method: 'POST',
    path: '/projects/:id/milestones',
    ...mutation('CreateMilestone', 'createMilestone.milestone', '...MilestoneRecord'),
    validationPrefix: 'Failed to create milestone',
  },
  {
    method: 'PUT',
    path: '/projects/:id/milestones/:milestone_id',
    ...mutation('UpdateMilestone', 'updateMilestone.milestone', '...MilestoneRecord'),
    atLeastOne: changes,
    validationPrefix: 'Failed to update milestone',
  },
  {
    method: 'GET',
    path: '/projects/:id/milestones/:milestone_id/issues',
    operation: operations.MilestoneIssuesDocument,
    result: 'project.milestone.issues',
  },
  {
    method: 'GET',
    path: '/projects/:id/milestones/:milestone_id/merge_requests',
    operation: operations.MilestoneMergeRequestsDocument,
    result: 'project.milestone.mergeRequests',
    omitNull: ofForks(),
  },
  {
    method: 'DELETE',
    path: '/projects/:id/milestones/:milestone_id',
    ...mutation('DeleteMilestone', 'deleteMilestone', 'deletedMilestoneId'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/milestones/:milestone_id/promote',
    ...mutation('PromoteMilestone', 'promoteMilestone.milestone', '...MilestoneRecord'),
    status: 200,
  },
  {
    method: 'GET',
    path: ofGroup,
    operation: operations.GroupMilestonesDocument,
    result: 'group.milestones',
    ...filters,
  },
  { method: 'GET', path: one, operation: operations.GroupMilestoneDocument, result: 'group.milestone' },
  {
    method: 'POST',
    path: ofGroup,
    ...mutation('CreateGroupMilestone', 'createMilestone.milestone', '...MilestoneRecord'),
    validationPrefix: 'Failed to create milestone',
  },
  {
    method: 'PUT',
    path: one,
    ...mutation('UpdateGroupMilestone', 'updateMilestone.milestone', '...MilestoneRecord'),
    atLeastOne: changes,
    validationPrefix: 'Failed to update milestone',
  },
  {
    method: 'DELETE',
    path: one,
    ...mutation('DeleteGroupMilestone', 'deleteMilestone', 'deletedMilestoneId'),
    status: 204,
  },
  {
    method: 'GET',
    path: `${one}/issues`,
    operation: operations.GroupMilestoneIssuesDocument,
    result: 'group.milestone.issues',
  },
  {
    method: 'GET',
    path: `${one}/merge_requests`,
    operation: operations.GroupMilestoneMergeRequestsDocument,
    result: 'group.milestone.mergeRequests',
    omitNull: ofForks(),
  },
];
